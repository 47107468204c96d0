# Sourced by the scripts of this folder: a scratch folder and three verbs. $1 of the script is the program under test.
set -euo pipefail
farfield=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export LC_ALL=C NO_COLOR=1
failures=0

flunk() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}

# expect CODE [PATTERN] -- ARGUMENTS: runs the program; what it says on standard error must be one line, "farfield: ..."
# that matches PATTERN, or nothing where CODE is 0. Leaves its output in out and err.
expect() {
  local code=$1 pattern=. got=0
  shift
  [[ $1 == -- ]] || { pattern=$1; shift; }
  shift
  "$farfield" "$@" >out 2>err </dev/null || got=$?
  [[ $got == "$code" ]] || flunk "exit code $got instead of $code: farfield $*: $(cat err)"
  if ((code == 0)); then
    [[ ! -s err ]] || flunk "says on standard error: $(cat err): farfield $*"
  else
    [[ $(wc -l <err) == 1 ]] || flunk "$(wc -l <err) lines on standard error: farfield $*: $(cat err)"
    grep -q "^farfield: .*[a-z0-9)?]$" err || flunk "not a sentence of farfield: $(cat err)"
    grep -qE -- "$pattern" err || flunk "no '$pattern' in: $(cat err): farfield $*"
  fi
}

contains() { # contains FILE PATTERN
  grep -qE -- "$2" "$1" || flunk "no '$2' in $1: $(head -c 2000 "$1")"
}

finish() {
  ((failures == 0)) || { echo "$failures expectations failed"; exit 1; }
}
