# What is written: contents, order, columns carried through, the JSON report; and what --quiet keeps to itself.
source "$(dirname "$0")/prelude.sh"

# Three bodies by hand: u = (2/1 + 4/2, 1/1 + 4/r, ...), with a column that Farfield does not know.
cat >three.csv <<'CSV'
x,y,z,q,name_code
0,0,0,1,11
1,0,0,2,22
0,2,0,4,33
CSV
expect 0 -- run three.csv --gradient -o three-out.csv
contains three-out.csv '^x,y,z,q,potential,gx,gy,gz,name_code$'
awk -F, '
  function near(a, b) { return (a - b) * (a - b) < 1e-24 }
  NR == 2 && !(near($5, 4) && near($6, 2) && near($7, 1) && near($8, 0) && $9 == 11) { bad = 1 }
  NR == 3 && !(near($5, 1 + 4 / sqrt(5)) && near($6, -1 - 4 / (5 * sqrt(5))) && $9 == 22) { bad = 1 }
  NR == 4 && !(near($5, 0.5 + 2 / sqrt(5)) && $9 == 33) { bad = 1 }
  END { exit bad || NR != 4 }' three-out.csv || flunk "three bodies: $(cat three-out.csv)"
contains out 'Energy .*q u = 7\.57770876 '

# A scale, and targets apart: the result is at the targets, in their order, with their columns.
printf 'x,y,z,tag\n0,0,4,7\n3,0,0,8\n' >targets.csv
printf 'x,y,z,q\n0,0,0,12\n' >one.csv
expect 0 -- run one.csv --targets targets.csv --scale -0.5 -o at.csv
[[ $(cut -d, -f1-5 at.csv | tail -2 | tr '\n' ' ') == "0,0,4,-1.5,7 3,0,0,-2,8 " ]] || flunk "targets: $(cat at.csv)"
contains out 'at 2 targets'

# Softened by 3: u at the first is 1 / sqrt(4^2 + 3^2), a body does not act on itself; a target on a body feels it.
printf 'x,y,z,q\n0,0,0,2\n4,0,0,1\n' >pair.csv
expect 0 -- run pair.csv --softening 3 --gradient --check 2 -o pair-out.csv --report pair.json
awk -F, '
  function near(a, b) { return (a - b) * (a - b) < 1e-24 }
  NR == 2 && !(near($5, 0.2) && near($6, 0.032) && $7 == 0) { bad = 1 }
  NR == 3 && !(near($5, 0.4) && near($6, -0.064)) { bad = 1 }
  END { exit bad || NR != 3 }' pair-out.csv || flunk "softened pair: $(cat pair-out.csv)"
contains out 'sqrt\(\|x - y_j\|\^2 \+ 3\^2\) and its gradient, softened'
contains out 'method +direct +cheaper than expansions'
contains out 'potential .*pass'
contains pair.json '"softening": 3'
contains pair.json '"softening_kind": "plummer"'
# The spline of reach 2.8 x 2: u = 0.4 at a distance of 4 is that of u = 4/5.6, between those of 1/r and of the centre.
expect 0 -- run pair.csv --softening 2 --softening-kind spline --check 2 -o spline.csv --report spline.json
awk -F, 'NR == 2 && !($5 > 0.2485 && $5 < 0.25) || NR == 3 && !($5 > 0.497 && $5 < 0.5) { bad = 1 }
  END { exit bad || NR != 3 }' spline.csv || flunk "softened by a spline: $(cat spline.csv)"
contains out 'softened by the spline of length 2'
contains out 'potential .*pass'
contains spline.json '"softening_kind": "spline"'
# Lengths of the bodies themselves: (2^2 + 14) / 2 = 3^2, and so the same as with --softening 3.
head -3 pair.csv | awk -F, 'NR == 1 {print $0 ",eps,type"} NR == 2 {print $0 ",2,5"} NR == 3 {print $0 ",3.7416573867739413,9"}' >eps.csv
expect 0 -- run eps.csv --softening-column EPS --check 2 -o eps-out.csv --report eps.json
contains out 'softened \(plummer\) by lengths from 2 to'
contains out 'potential .*pass'
contains eps.json '"least_softening": 2'
awk -F, 'function near(a, b) { return (a - b) * (a - b) < 1e-24 }
  NR == 2 && !near($5, 0.2) || NR == 3 && !near($5, 0.4) { bad = 1 } END { exit bad || NR != 3 }' eps-out.csv ||
  flunk "softened by two lengths: $(cat eps-out.csv)"
expect 0 -- run eps.csv --softening 2,3.7416573867739413 -o types-out.csv
cmp -s eps-out.csv types-out.csv || flunk "lengths by type differ from those of the column: $(cat types-out.csv)"
expect 0 -- run eps.csv --softening-column eps --targets one.csv --softening 2 -o at-one.csv
expect 2 "one.csv: there is no column 'eps' for --softening-column" -- run eps.csv --softening-column eps --targets one.csv
expect 2 "pair.csv: there is no column 'eps'" -- run pair.csv --softening-column eps
expect 2 "it has no column 'type'" -- run pair.csv --softening 1,2
expect 2 'has 3 lengths, but eps.csv has bodies of 2 types \(5, 9\)' -- run eps.csv --softening 1,2,3
expect 2 'exclude each other' -- run eps.csv --softening 1,2 --softening-column eps
expect 3 'source 1: softening -4 is not a length' -- run eps.csv --softening 1,-4
expect 3 'source 0: softening nan is not a length' -- run eps.csv --softening nan,1
expect 0 -- run pair.csv --softening 0.5 --targets one.csv -o on.csv
[[ $(tail -1 on.csv) == *4.24806946* ]] || flunk "on a body: $(cat on.csv)"

# The fast method keeps the order of the input: reversed input, reversed output, to the tolerance.
expect 0 -- generate plummer -n 2000 --seed 5 -o p.csv
expect 0 -- run p.csv --softening 1e-4 --softening-kind spline --gradient --method fmm --check 100 -o soft.npz
contains out 'gradient .*pass'
(head -1 p.csv; tail -n +2 p.csv | tac) >reversed.csv
expect 0 -- run p.csv --method fmm -o a.csv
expect 0 -- run reversed.csv --method fmm -o b.csv
cut -d, -f1-4 a.csv | cmp -s - <(cut -d, -f1-4 p.csv) || flunk "positions or their order changed"
paste -d, <(tail -n +2 a.csv | cut -d, -f5) <(tail -n +2 b.csv | tac | cut -d, -f5) |
  awk -F, '{d = $1 - $2; e += d * d; n += $1 * $1} END {exit !(e <= 1e-12 * n && NR == 2000)}' ||
  flunk "results are not in the order of the input"

# The same bits for any number of threads.
expect 0 -- run p.csv --method fmm --threads 1 -o t1.csv
expect 0 -- run p.csv --method fmm --threads 2 -o t2.csv
cmp -s t1.csv t2.csv || flunk "results depend on the number of threads"

# Counting: every target counts all sources, itself included.
(echo x,y,z,q; tail -n +2 p.csv | cut -d, -f1-3 | sed 's/$/,1/') >ones.csv
expect 0 -- run ones.csv --kernel count --method fmm --tolerance 1e-3 -o counts.csv
tail -n +2 counts.csv | awk -F, '$5 != 2000 {exit 1}' || flunk "counts: $(sed -n 2p counts.csv)"

# What was written can be read again, and is compared with what comes out the next time.
expect 0 -- run p.csv --gradient -o p.npz
expect 0 -- run p.npz --gradient --tolerance 1e-3
contains out 'Reference +relative L2 difference to the results in the file: potential'

expect 0 -- info p.npz
contains out '^Results +potentials and gradients, which a run compares'

# References of a periodic system are not those of the open sum that Farfield computes.
for periodic in '0 0 0' '1 1 1'; do
  cat >system.xml <<XML
<?xml version="1.0"?>
<scafacos_test name="pair" reference_method="ewald">
<configuration offset="0 0 0" box_a="4 0 0" box_b="0 4 0" box_c="0 0 4" periodicity="$periodic" epsilon="metallic">
<particle position="0 0 0" q="1" potential="-0.7" field="0 0 0"/>
<particle position="1 0 0" q="-1" potential="0.7" field="0 0 0"/>
</configuration>
</scafacos_test>
XML
  expect 0 -- run system.xml
  contains out "2 charges"
  contains out 'q u = -1, the electrostatic energy of the charges'
  cp out run
  expect 0 -- info system.xml
  if [[ $periodic == '0 0 0' ]]; then
    contains run 'relative L2 difference'
  else
    tr -s ' \n' ' ' <run >line
    contains line 'those of the periodic system'
    grep -q 'L2 difference' run && flunk "periodic references are compared"
    contains out '^Results .*not of the sum that a run computes'
    expect 0 -- run system.xml --periodic xyz
    contains out 'relative L2 difference'
    grep -q '^ *Virial' out && flunk "a virial that nobody asked for"
    expect 0 -- run system.xml --periodic xyz --virial --report virial.json
    contains out 'Virial *xx -1\.0629'
    contains virial.json '"virial": \['
    expect 0 -- run system.xml --periodic xyz --cell 4,0,0,0,4,0,0,0,8
    grep -q 'L2 difference' out && flunk "references of another cell are compared"
    expect 2 -- run system.xml --periodic xyz --cell 4,0,0,0,4,0,8,8,0
    contains err 'lie in one plane'
  fi
done

# Ends of an extent far from zero are told apart.
printf 'x,y,z,q\n4503599627370496,0,0,1e-7\n4503599627370500,1,2,-1e-7\n' >offset.csv
expect 0 -- info offset.csv
contains out 'x  4503599627370496 .. 4503599627370500'
contains out '^Strengths +-1e-7 .. 1e-7'

# Numbers are written one way, in the sentences of the library as well: 1e-4, not 1e-04 or 0.0001.
for tolerance in 1e-3 1e-4 2.5e-5 1e-7; do
  expect 0 -- run p.csv --method fmm --tolerance $tolerance
  contains out "Asked .* $tolerance,"
  tr -s ' \n' ' ' <out >joined
  contains joined "degree .* within $tolerance[, ]"
  grep -qE '[0-9]e[-+]?0[0-9]|[0-9]e\+' out && flunk "padded exponents: $(grep -E '[0-9]e[-+]?0[0-9]|[0-9]e\+' out)"
  for odd in 'all that the precision has' 'come out at that size' 'boxes across' 'written in'; do
    grep -q "$odd" out && flunk "says '$odd'"
  done
done

# The report for programs.
expect 0 -- run p.csv --gradient --check 50 --seed 9 --method fmm -o r.npz --report r.json --plot r.png
for field in schema version kernel scale softening softening_kind gradient tolerance method backend device precision simd threads m2l stencil \
  degree coefficients leaf_size levels counts sources targets boxes leaves near_pairs far_fraction memory_bytes \
  pairs_per_second expected_seconds condition build_seconds evaluate_seconds stages choices warnings error samples seed l2 median p95 \
  max input file count description extra_columns wall_seconds read plan evaluate write written; do
  contains r.json "\"$field\":"
done
contains r.json '"schema": "farfield.report/1"'
contains r.json '"file": "p.csv"'
contains r.json '"seed": 9'
contains r.json '"samples": 50'
[[ $(head -c 4 r.png | od -An -c | tr -d ' ') == '211PNG' ]] || flunk "r.png is no PNG"
for word in Input Sum Asked Method Tree Choices Plan Evaluation p2m m2l p2p Error Speed Energy Memory Written; do
  contains out "^ *$word"
done
awk 'length > 80 {exit 1}' out || flunk "the report is wider than 80 columns"
LC_ALL=C grep -q '[^ -~]' out && flunk "the report is not ASCII in the C locale"
[[ $(LC_ALL=C.UTF-8 "$farfield" run p.csv) == *█* ]] || flunk "no bars in a UTF-8 locale"
[[ $("$farfield" run p.csv) != *$'\033'* ]] || flunk "colour although no terminal"

# Pipes: what goes to standard output is the results and nothing else, and what comes from standard input is a file.
expect 0 -- run three.csv -o three-plain.csv
"$farfield" run - -o - <three.csv >piped.csv 2>err || flunk "standard input: $(cat err)"
cmp -s piped.csv three-plain.csv || flunk "a pipe gives another result: $(cat piped.csv)"
contains err 'Energy .*q u = 7\.57770876 '
"$farfield" run <(gzip -c three.csv) -q --format csv -o >(cat >named.csv) || flunk "named pipes"
for _ in 1 2 3 4 5 6 7 8 9 10; do cmp -s named.csv three-plain.csv || sleep 0.2; done
cmp -s named.csv three-plain.csv || flunk "named pipes: $(cat named.csv)"
"$farfield" run three.csv -q --gradient -o - --format npy >results.npy || flunk "npy to a pipe"
[[ $(head -c 6 results.npy | od -An -c | tr -d ' ') == '223NUMPY' ]] || flunk "results.npy is no npy"
[[ $(stat -c %s results.npy) == $((128 + 3 * 4 * 8)) ]] || flunk "results.npy has not 3 x 4 numbers"
# Through cat, which reads all: a reader that stops early would break the pipe.
"$farfield" run three.csv -q --report - | cat >report.json
grep -q '^  "schema": "farfield.report/1"' report.json || flunk "a report to a pipe"
"$farfield" run three.csv --plot - 2>/dev/null | cat >picture.png
[[ $(head -c 4 picture.png | od -An -c | tr -d ' ') == 211PNG ]] || flunk "a picture to a pipe"
[[ $("$farfield" generate uniform -n 3 -o - 2>/dev/null | wc -l) == 4 ]] || flunk "bodies to a pipe"
[[ $("$farfield" generate uniform -n 3 -o - --format npz 2>/dev/null | "$farfield" info -) == *'npz, 3 bodies'* ]] || flunk "npz in a pipe"

# Tables with other names and delimiters.
printf 'Lon;Lat;Size\n0;0;1\n1;0;2\n0;2;4\n' >quakes.csv
expect 0 -- run quakes.csv --columns x=Lon,y=Lat,z=0,q=Size -o quakes-out.csv
[[ $(cut -d, -f1-5 quakes-out.csv) == "$(cut -d, -f1-5 three-plain.csv)" ]] || flunk "columns: $(cat quakes-out.csv)"
printf 'x|y|z|q\n0|0|0|1\n' >bars.csv
expect 0 -- info bars.csv --delimiter '|' --input-format csv
contains out 'csv, 1 body'
printf 'x,y,z,q,\033[2J\n1,2,3,4,5\n' >escape.csv
expect 0 -- info escape.csv
LC_ALL=C grep -q $'\033' out && flunk "info prints control characters of a file"
expect 0 -- run three.csv --plot axis.png --plot-axis x

# Quiet is silent.
expect 0 -- run p.csv --quiet --check 10 -o quiet.csv
[[ ! -s out ]] || flunk "run --quiet prints: $(cat out)"
expect 0 -- check p.csv --quiet
[[ ! -s out ]] || flunk "check --quiet prints: $(cat out)"

# Nothing to do is no error.
printf 'x,y,z,q\n' >none.csv
expect 0 -- run none.csv --gradient --check 10 -o none-out.csv --plot none.png
expect 0 -- check none.csv
expect 0 -- run none.csv --gradient -o none-out.npz
grep -q potential.npy none-out.npz && grep -q gradient.npy none-out.npz || flunk "results of no bodies are not there"
[[ $(cat none-out.csv) == x,y,z,q,potential,gx,gy,gz ]] || flunk "none-out.csv: $(cat none-out.csv)"
expect 0 -- run p.csv --targets none.csv
printf 'x,y,z,q\n1,1,1,5\n' >single.csv
expect 0 -- check single.csv --gradient
finish
