# Help in all its forms, and the pages made from the options: every option of --help-all is in completion and manual.
source "$(dirname "$0")/prelude.sh"

expect 0 -- -V
contains out '^farfield [0-9]+\.[0-9]+\.[0-9]+$'
expect 0 -- help
contains out '^  run  '
"$farfield" --help | cmp -s - out || flunk "help and --help differ"
for command in run check simulate kde generate info bench help; do
  expect 0 -- help $command
  contains out "^Usage: farfield $command"
  "$farfield" $command --help | cmp -s - out || flunk "help $command and $command --help differ"
done
expect 2 'no subcommand frog' -- help frog
expect 2 'say what to do: run, check, simulate, kde, coulomb, biot-savart, generate, info, bench, help;' --

"$farfield" --help-all >all
options=$(grep -oE '(^|[ ,])--[a-z0-9-]+' all | tr -d ' ,' | sort -u)
[[ $(wc -w <<<"$options") -ge 30 ]] || flunk "few options: $options"
expect 0 -- completion bash
cp out completion.bash
expect 0 -- man
cp out farfield.1
sed 's/\\-/-/g' farfield.1 >plain.1
for option in $options; do
  grep -qE -- "[ '|:]${option}[ '|)]" completion.bash || flunk "$option is not in the completion"
  grep -qE -- "^\.B .*${option}( |$)" plain.1 || flunk "$option is not in the manual page"
done
expect 2 "'fish' is not one of bash" -- completion fish

# What the Tab key offers.
bash -n completion.bash || flunk "the completion is no bash"
touch stars.npz
offers() { # offers WORD... : for the last word
  bash -c 'source ./completion.bash; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _farfield; printf "%s\n" "${COMPREPLY[@]}"' \
    _ "$@"
}
[[ $(offers farfield che) == check ]] || flunk "che: $(offers farfield che)"
[[ $(offers farfield run --tol | xargs) == "--tolerance --tolerance-for" ]] || flunk "--tol: $(offers farfield run --tol)"
[[ $(offers farfield run --backend c | xargs) == "cpu cuda" ]] || flunk "--backend: $(offers farfield run --backend c)"
[[ $(offers farfield generate pl | xargs) == "plummer plane" ]] || flunk "kinds: $(offers farfield generate pl)"
[[ $(offers farfield run --gradient st) == stars.npz ]] || flunk "a file after a flag: $(offers farfield run --gradient st)"
[[ $(offers farfield run stars.npz -o st) == stars.npz ]] || flunk "a file: $(offers farfield run stars.npz -o st)"
[[ -z $(offers farfield run --tolerance st) ]] || flunk "a number: $(offers farfield run --tolerance st)"

# The page formats without a complaint.
if command -v groff >/dev/null; then
  groff -man -Tascii -P-cbou -ww farfield.1 >page 2>complaints || flunk "groff refuses the page"
  [[ ! -s complaints ]] || flunk "groff: $(cat complaints)"
  for word in NAME SYNOPSIS OPTIONS COMMANDS; do contains page "$word"; done
fi
if command -v mandoc >/dev/null; then
  mandoc -T lint -W warning farfield.1 >complaints || flunk "mandoc: $(cat complaints)"
fi

# As wide as the window, within 60 to 120 columns; `script` gives a terminal.
if command -v script >/dev/null && script -qc true /dev/null >/dev/null 2>&1; then
  "$farfield" generate plummer -n 20000 -o p.npz >/dev/null
  for asked in 40:60 60:60 76:76 100:100 200:120; do
    script -qc "stty cols ${asked%:*}; LC_ALL=C $farfield run p.npz --gradient --check 10" /dev/null 2>/dev/null </dev/null |
      tr -d '\r' | sed 's/.*\x1b\[K//; s/\x1b\[[0-9;]*m//g' >shown
    contains shown '^Input'
    widest=$(awk 'length > n {n = length} END {print n}' shown)
    ((widest <= ${asked#*:} && (widest > ${asked#*:} - 12 || ${asked#*:} == 60))) ||
      flunk "$widest columns are used of ${asked%:*}: $(awk -v n="$widest" 'length == n' shown)"
  done
fi
finish
