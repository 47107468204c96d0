# Processes of MPI that share a sum: the files of one process, byte for byte, and one sentence where one of them fails.
# mpi.sh FARFIELD FARFIELD-MPI MPIEXEC FLAG-FOR-THE-NUMBER [PREFLAGS...]
source "$(dirname "$0")/prelude.sh"
shared=$2
launch=("${@:3}")
seed=${SEED:-$RANDOM}
echo "SEED=$seed repeats this"

# mpi CODE RANKS [PATTERN] -- ARGUMENTS: runs $program on so many ranks; of what is said on standard error the launcher's own
# words aside, it is one sentence that matches PATTERN, or nothing where CODE is 0. Leaves the output in out and err.
program=$shared
mpi() {
  local code=$1 ranks=$2 pattern=. got=0
  shift 2
  [[ $1 == -- ]] || { pattern=$1; shift; }
  shift
  timeout 100 "${launch[0]}" "${launch[1]}" "$ranks" "${launch[@]:2}" "$program" "$@" >out 2>all </dev/null || got=$?
  grep '^farfield: ' all >err || true
  [[ $got == "$code" ]] || flunk "exit code $got instead of $code on $ranks ranks: $*: $(cat all)"
  [[ $(wc -l <err) == $((code != 0)) ]] || flunk "$(wc -l <err) sentences on $ranks ranks: $*: $(cat all)"
  ((code == 0)) || grep -qE -- "$pattern" err || flunk "no '$pattern' in: $(cat err): $*"
}
same() { cmp -s "$1" "$2" || flunk "$2 is not $1, byte for byte"; }
# everywhere FORMAT ARGUMENTS: one process writes what 1, 2 and 3 do.
everywhere() {
  local format=$1
  shift
  expect 0 -- run "$@" -o "one.$format"
  for ranks in 1 2 3; do
    mpi 0 $ranks -- run "$@" -o "many.$format"
    same "one.$format" "many.$format"
  done
}

expect 0 -- generate plummer -n 2003 --seed "$seed" -o p.npz
expect 0 -- generate uniform -n 1501 --seed "$seed" --strengths mixed -o u.csv
expect 0 -- generate sphere -n 700 --seed "$seed" -o t.npz
expect 0 -- generate plummer -n 999 --seed "$seed" -o p.npy
gzip -k u.csv

everywhere npz p.npz --gradient
everywhere npy p.npz --gradient --tolerance 1e-9
everywhere csv p.npz --method fmm --degree 6
everywhere npz p.npy --gradient
everywhere npz u.csv
everywhere npy u.csv.gz --method direct
everywhere npz p.npz --targets t.npz --gradient
everywhere csv u.csv --targets p.npy
awk -F, '{print $1 "," $2 "," $4}' u.csv >plane.csv
everywhere npz plane.csv --kernel laplace2d --gradient --method fmm
mpi 2 3 'standard output is not offered' -- run p.npz -o -

# Further columns and densities; members that are deflated; dipoles.
awk -F, 'NR == 1 {print $0 ",q2,id"} NR > 1 {print $0 "," $1 - $2 "," NR}' u.csv >two.csv
everywhere npz two.csv --gradient --method fmm
everywhere npy one.npz
if command -v python3 >/dev/null; then
  python3 -c 'import zipfile
with zipfile.ZipFile("p.npz") as stored, zipfile.ZipFile("deflated.npz", "w", zipfile.ZIP_DEFLATED) as deflated:
    for name in stored.namelist(): deflated.writestr(name, stored.read(name))'
  everywhere npz deflated.npz
fi
expect 0 -- generate uniform -n 1003 --dipoles -o d.npz
everywhere npz d.npz --method fmm --hessian
everywhere csv d.npz --gradient --softening 0.01

# Softened sums, with a length for each body, too; screened kernels; cores.
everywhere npz p.npz --gradient --softening 0.01
everywhere npz p.npz --method fmm --softening 0.02 --softening-kind spline --targets t.npz
awk -F, 'NR == 1 {print $0 ",eps"} NR > 1 {print $0 "," (NR % 7) / 500}' u.csv >soft.csv
everywhere npz soft.csv --method fmm --softening-column eps
everywhere npz p.npz --kernel yukawa3d --kappa 3 --gradient --method fmm
everywhere npz plane.csv --kernel vortex --core gauss:0.01 --method fmm
mpi 2 2 'softening by types is not offered' -- run p.npz --softening 0.1,0.2

# Periodic cells: orthorhombic, triclinic, along two axes, of a slab's strengths that add up to 0.
everywhere npz p.npz --gradient --periodic xyz --cell 2,3,2.5 --method fmm
everywhere npy u.csv --periodic xyz --cell 1,0,0,0.2,1.1,0,-0.1,0.3,0.9 --tolerance 1e-4 --method fmm
awk -F, 'NR == 1 {print $0; next} {print; printf "%.17g,%s,%s,%.17g\n", $1 + 0.01, $2, $3, -$4}' u.csv >slab.csv
everywhere csv slab.csv --gradient --periodic xy --cell 1,1 --method fmm
everywhere npz slab.csv --targets t.npz --periodic xyz --cell 4,4,4 --gradient --method fmm
for where in '--periodic xyz --cell 1,1,1' '--softening 0.01'; do
  expect 0 -- run slab.csv $where --method fmm --virial --report one.json
  mpi 0 3 -- run slab.csv $where --method fmm --virial --report many.json
  [[ $(grep -A8 '"virial": \[' one.json) == "$(grep -A8 '"virial": \[' many.json)" ]] || flunk "the virial of ranks differs"
done
mpi 3 2 'the strengths add up to' -- run p.npz --periodic xy --cell 2,2 --method fmm

# More ranks than rows, and no rows at all.
printf 'x,y,z,q\n0,0,0,1\n1,0,0,2\n' >few.csv
expect 0 -- run few.csv -o few.npz
for format in npz npy csv; do
  expect 0 -- run few.npz --gradient -o "one.$format"
  mpi 0 5 -- run few.npz --gradient -o "many.$format"
  same "one.$format" "many.$format"
done
mpi 0 3 -- run p.npz --targets few.npz -o many.npz
expect 0 -- run p.npz --targets few.npz -o one.npz
same one.npz many.npz
printf 'x,y,z,q\n' >none.csv
expect 0 -- run none.csv -o one.npz
mpi 0 2 -- run none.csv -o many.npz
same one.npz many.npz

# Reports.
mpi 0 3 -- run p.npz --check 100 --report many.json -o p2.npz
contains out '^Ranks +3: each owns .* points and holds'
contains out '^Input +p.npz: npz, 2,003 bodies'
[[ $(grep -c ^Input out) == 1 ]] || flunk "ranks report more than once"
contains many.json '"ranks": \['
contains many.json '"sent_bytes"'
mpi 0 2 -- check p2.npz --quiet
[[ ! -s out ]] || flunk "check --quiet prints"
mpi 0 2 -- run p2.npz
contains out '^Reference .*: potential 0\.0$'
mpi 0 3 -- --version
[[ $(wc -l <out) == 1 ]] || flunk "the version is printed by more than one rank"
mpi 0 2 -- run --help
[[ $(grep -c '^Examples:' out) == 1 ]] || flunk "help is printed by more than one rank"
awk 'length > 80 {exit 1}' out || flunk "help is wider than 80 columns"

# What fails on one rank, or on all of them.
awk -F, 'NR == 1402 {$1 = "nan"} {print $1 "," $2 "," $3 "," $4}' u.csv >nan.csv
mpi 3 3 'rank 2: source 399 \(1400 of nan.csv\): coordinate x is nan' -- run nan.csv -o bad.npz
awk 'NR == 12 {$0 = "inf,0,0,1"} {print}' u.csv >inf.csv
mpi 3 2 'rank 0: target 10 \(10 of inf.csv\)' -- run p.npz --targets inf.csv
mpi 3 3 '^farfield: nothere.npz: there is no such file' -- run nothere.npz
mpi 6 3 'rank 0: nowhere/a.npz: cannot be written' -- run p.npz -o nowhere/a.npz
mpi 6 2 'nowhere/a.json: cannot be written' -- run p.npz --report nowhere/a.json
[[ ! -w /dev/full ]] || { ln -s /dev/full full.npz; mpi 6 3 'full.npz: cannot be written' -- run p.npz -o full.npz; }
cp p.npz hurt.npz && printf 'hurt' | dd of=hurt.npz bs=1 seek=30000 conv=notrunc 2>/dev/null
mpi 3 3 "hurt.npz, member 'positions.npy': its checksum is wrong" -- run hurt.npz -o bad.npz
mpi 1 2 'error of the potential is' -- check p.npz --method fmm --degree 1 --quiet
mpi 2 3 'unknown option --frobnicate' -- run p.npz --frobnicate
[[ $("$farfield" info) == *'cpu, cuda'* ]] || mpi 4 2 'cuda' -- run p.npz --backend cuda
mpi 2 2 'plot is not offered' -- run p.npz --plot p.png
mpi 2 2 'but --periodic xyz names 3 axes' -- run p.npz --periodic xyz --cell 1,1
mpi 3 2 'cannot share a pipe' -- run -
[[ ! -e bad.npz ]] || flunk "a run that fails writes something"
[[ -z $(find . -name '.farfield-*') ]] || flunk "temporary files remain"

# The ordinary command on several ranks becomes the one that shares; what it cannot share is refused once.
program=$farfield
expect 0 -- run p.npz -o one.npz
mpi 0 3 -- run p.npz -o many.npz
same one.npz many.npz
contains out '^Ranks +3'
mpi 2 2 'generate runs in one process, but 2 were started' -- generate uniform -n 10 -o g.npz
mpi 0 2 -- info
[[ $(grep -c '^Threads' out) == 1 ]] || flunk "info is printed by more than one rank"
cp "$farfield" alone
program=$PWD/alone
mpi 2 3 'no farfield-mpi stands beside' -- run p.npz -o other.npz
[[ ! -e other.npz ]] || flunk "processes that cannot share write a file"
program=$farfield
finish
