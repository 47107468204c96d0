# Every exit code, provoked for real; each error is one sentence on one line.
source "$(dirname "$0")/prelude.sh"

expect 0 -- generate plummer -n 3000 --seed 1 -o bodies.npz

# 1: accuracy missed. Results are there all the same.
expect 1 'error of the potential is .* more than the tolerance 1e-6' -- check bodies.npz --method fmm --degree 1
expect 1 'potential .* and .* gradient' -- run bodies.npz --method fmm --degree 1 --gradient --check 100 -o missed.csv
[[ -s missed.csv ]] || flunk "an accuracy that is missed must not lose the results"
expect 1 'error of the potential' -- check bodies.npz --method fmm --degree 1 --quiet
[[ ! -s out ]] || flunk "check --quiet prints"

# 2: usage.
expect 2 'say what to do' --
expect 2 'no subcommand dance' -- dance
expect 2 'INPUT is required' -- run
expect 2 'unknown option --tolerence; did you mean --tolerance' -- run bodies.npz --tolerence 1e-3
expect 2 'unknown option --frobnicate' -- run bodies.npz --frobnicate
expect 2 'one argument too many: more.npz' -- run bodies.npz more.npz
expect 2 '--check needs a value' -- run bodies.npz --check
expect 2 '--seed is given more than once' -- run bodies.npz --seed 1 --seed 2
expect 2 "--tolerance: 'small' is not a number" -- run bodies.npz --tolerance small
expect 2 "--backend: 'gpu' is not one of auto, cpu, cuda, hybrid" -- run bodies.npz --backend gpu
expect 2 "--check: '1.5' is not a whole number" -- run bodies.npz --check 1.5
expect 2 "--degree: '-1' is not a whole number" -- run bodies.npz --degree -1
expect 2 'tolerance nan' -- run bodies.npz --tolerance nan
expect 2 '^farfield: -n: ' -- generate uniform -n 1.5 -o a.csv
expect 2 '^farfield: --count: ' -- generate uniform --count 1.5 -o a.csv
expect 2 'from 0 to 18446744073709551615' -- run bodies.npz --seed 18446744073709551616
expect 0 -- run bodies.npz --check 1e30 --seed 18446744073709551615
contains out 'on all 3,000 targets'
expect 0 -- run bodies.npz --check 9223372036854775807
expect 2 'tolerance 1e-7 is below what single precision' -- \
  run bodies.npz --tolerance 1e-7 --precision single --method fmm
expect 2 'tolerance 0 is not above 0 and below 1' -- run bodies.npz --tolerance 0
expect 2 'tolerance 1e-18 is below' -- run bodies.npz --tolerance 1e-18 --method fmm
expect 2 'below what single precision' -- run bodies.npz --tolerance 1e-12 --precision single --method fmm
expect 2 'scale' -- run bodies.npz --scale 0
expect 2 'softening -1 is not a length' -- run bodies.npz --softening -1
expect 2 'softening nan' -- run bodies.npz --softening nan
printf 'x,y,z,q\n0,0,0,1\n1e302,0,0,1\n' >huge.csv
expect 2 'softening 0.3 is below 1e-300 of the points' -- run huge.csv --softening 0.3
expect 2 'softening-kind' -- run bodies.npz --softening 0.1 --softening-kind wendland
expect 2 'deepest level here is 0' -- run bodies.npz --softening 1e3 --softening-kind spline --method fmm --depth 3
expect 2 'kernel count is not softened' -- run bodies.npz --softening 0.1 --kernel count
expect 2 'degree 1000' -- run bodies.npz --degree 1000
expect 2 'threads' -- run bodies.npz --threads 1e6
expect 2 'npz, .csv or .npy' -- run bodies.npz -o results.txt
expect 2 "--format: 'xml' is not one of csv, npz, npy" -- run bodies.npz -o - --format xml
expect 2 'name a file for them with --output' -- run bodies.npz --format npy
expect 2 'cannot both come from standard input' -- run - --targets -
expect 2 'standard output takes one of' -- run bodies.npz -o - --report -
expect 2 "--input-format: 'frog' is not one of csv, npy, npz, obj, ply, xyz" -- run bodies.npz --input-format frog
expect 2 "--delimiter: 'a' is none" -- run bodies.npz --delimiter a
expect 2 "--columns: 'w=mass' does not name a column" -- run bodies.npz --columns w=mass
expect 2 "--plot-axis: 'w' is not one of x, y, z" -- run bodies.npz --plot-axis w
expect 2 "no kind 'frog'" -- generate frog -n 3 -o frog.csv
expect 2 '--output is required' -- generate uniform -n 3
expect 2 'repeat 0' -- bench --n 100 --repeat 0
expect 2 'not a whole number' -- bench --n 100,frog

# 3: input.
expect 3 'nothere.npz: there is no such file' -- run nothere.npz
expect 3 'nothere.csv: there is no such file' -- run bodies.npz --targets nothere.csv
expect 3 'nothere.csv' -- info nothere.csv
head -c 1000 bodies.npz >cut.npz
expect 3 'cut.npz, .*truncated' -- run cut.npz
printf 'x,y,z,q\n0,0,0,1\n0,nan,1,1\n' >nan.csv
expect 3 'source 1: coordinate y is nan' -- run nan.csv
printf 'x,y,z,q\n0,0,0,1\n0,1\n' >ragged.csv
expect 3 'ragged.csv, line 3' -- run ragged.csv
printf 'x,y,z\n0,0,0\n' >bare.csv
expect 3 'bare.csv' -- run bare.csv
expect 3 'directory' -- run .
expect 3 'standard input: the file is empty' -- run -
expect 3 'no column Mass, which was named for q' -- run bare.csv --columns q=Mass
expect 3 'are for csv, which this is not' -- run bodies.npz --columns q=Mass
printf '{"a": 1}' >a.json
expect 3 'this is JSON, which this version does not read' -- run a.json

# 4: device. A build with CUDA has a device here or says that there is none.
[[ $("$farfield" info) == *'cpu, cuda'* ]] || expect 4 'cuda' -- run bodies.npz --backend cuda
[[ $("$farfield" info) == *'cpu, cuda'* ]] || expect 4 'backend hybrid: ' -- run bodies.npz --backend hybrid
expect 2 'backend hybrid sums by method fmm, not by method direct' -- run bodies.npz --backend hybrid --method direct

# 5: memory.
for n in 9e15 1e18 9223372036854775807 1e30; do expect 5 'memory' -- generate uniform -n $n -o huge.npz; done
[[ ! -e huge.npz ]] || flunk "huge.npz is there"

# 6: output. Told before the sum, not after it.
for option in "-o nowhere/file.npz" "--report nowhere/file.json" "--plot nowhere/file.png"; do
  # shellcheck disable=SC2086  # an option and its value
  expect 6 'nowhere/file.*cannot be written' -- run bodies.npz $option
done
expect 6 'nowhere' -- generate uniform -n 10 -o nowhere/file.npz
expect 6 'nowhere' -- bench --n 100 --json nowhere/file.json
if [[ -w /dev/full ]]; then
  ln -s /dev/full full.csv
  expect 6 'full' -- run bodies.npz -o full.csv
  code=0
  "$farfield" run bodies.npz >/dev/full 2>err || code=$?
  [[ $code == 6 ]] || flunk "a full standard output ends with $code"
fi
finish
