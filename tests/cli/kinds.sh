# generate -> info -> check for every kind of bodies: the promise holds on each.
source "$(dirname "$0")/prelude.sh"

kinds=$("$farfield" generate --help | sed -n '/^Kinds:/,/^$/s/^  \([a-z-]*\)  *[^ ].*/\1/p' | grep .)
[[ $(wc -w <<<"$kinds") -ge 9 ]] || flunk "few kinds: $kinds"
for kind in $kinds; do
  expect 0 -- generate "$kind" -n 2e3 --seed 3 --strengths mixed -o "$kind.npz"
  contains out "^$kind.npz: 2,000 bodies"
  expect 0 -- info "$kind.npz"
  contains out '2,000 bodies'
  expect 0 -- check "$kind.npz" --method fmm --gradient --tolerance 1e-5 --check 500
  contains out 'potential  .*1e-5 .*pass'
  contains out 'gradient  .*1e-5 .*pass'
done

for strengths in unit positive mixed; do
  expect 0 -- generate uniform -n 50 --strengths $strengths -o $strengths.csv
done
awk -F, 'NR > 1 && $4 != 1 {exit 1}' unit.csv || flunk "unit strengths are not 1"
awk -F, 'NR > 1 && $4 <= 0 {exit 1}' positive.csv || flunk "positive strengths are not positive"
awk -F, 'NR > 1 && $4 < 0 {n++} END {exit n == 0}' mixed.csv || flunk "mixed strengths have one sign"
expect 0 -- generate uniform -n 50 --seed 0 --strengths unit -o again.csv
cmp -s unit.csv again.csv || flunk "the same seed gives other bodies"

expect 0 -- bench --n 500,1e3 --dist uniform,plummer --tolerance 1e-3 --repeat 2 --json bench.json
[[ $(grep -cE '^(uniform|plummer) ' out) == 4 ]] || flunk "bench has not four rows: $(cat out)"
contains bench.json '"schema": "farfield.bench/1"'
[[ $(grep -c '"plan_median"' bench.json) == 4 ]] || flunk "bench.json has not four cases"
finish
