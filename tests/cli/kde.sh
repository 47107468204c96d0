# farfield kde: bandwidths, places, formats, pictures, and what it refuses. $2: the folder of real files.
source "$(dirname "$0")/prelude.sh"
data=${2:-nothere}

# Points of one, two and three coordinates; a hundred in a line of known density.
awk 'BEGIN {print "x"; for (i = 0; i < 100; ++i) print sin(i)}' >line.csv
awk 'BEGIN {print "x,y,mass,kind"; for (i = 0; i < 200; ++i) print sin(i) "," cos(3 * i) "," 1 + i % 3 ",a"}' >plane.csv
awk 'BEGIN {print "x,y,z"; for (i = 0; i < 50; ++i) print sin(i) "," cos(i) "," i / 50}' >space.csv
awk 'BEGIN {print "Date,Latitude,Longitude,Size"; for (i = 0; i < 90; ++i) print i "/1," i - 45 "," 4 * i - 180 "," i % 5}' >globe.csv

expect 0 -- kde line.csv
for word in Points Bandwidth Density Sums Written; do contains out "^$word"; done
contains out 'by the rule silverman'
contains out 'at the points themselves'
contains out '100 points'
contains out 'nothing; -o FILE or --plot FILE does'
awk 'length > 80 {exit 1}' out || flunk "wider than 80 columns"
expect 0 -- kde line.csv --bandwidth 0.1 --grid 400 -o line-density.csv --plot line.png
contains out 'in all'
[[ $(head -1 line-density.csv) == x,density && $(wc -l <line-density.csv) == 401 ]] || flunk "$(head -2 line-density.csv)"
# Three bandwidths of margin lose 1.4e-3 of the outermost kernels.
awk -F, 'NR > 2 {sum += $2 * ($1 - before)} {before = $1} END {exit !(sum > 0.99 && sum <= 1.0001)}' line-density.csv ||
  flunk "the density of a line is not 1 in all"

expect 0 -- kde plane.csv --weights MASS --bandwidth scott --grid 40,30 -o plane.npz --plot plane.png --check 100
contains out 'weights from column MASS: their scatter is that of 171 equal ones'
contains out "with the points' correlation"
contains out '^Error .* of the sum of weights, on 100 places'
"$farfield" kde plane.csv --bandwidth isj --targets space.csv -o - >targets.csv 2>err && flunk "targets in space"
"$farfield" kde plane.csv --bandwidth 0.2,0.3 --targets line.csv -o - >targets.csv 2>report || flunk "$(cat report)"
[[ $(head -1 targets.csv) == x,y,density && $(wc -l <targets.csv) == 101 ]] || flunk "targets: $(head -2 targets.csv)"
contains report '0.2 along x, 0.3 along y'
expect 0 -- kde space.csv --plot space.png -o space.npy -q
[[ ! -s out ]] || flunk "--quiet prints: $(cat out)"
expect 0 -- kde plane.csv --periodic x,y --cell 2,3 --bandwidth 0.2 --grid 20,30 -o periodic.npz
contains out 'periodic along y with 3'
contains out 'it is 1 in all'
expect 0 -- kde plane.csv --periodic xy --cell 2,3 --bandwidth 0.2 --grid 20,30 -o again.npz
cmp -s periodic.npz again.npz || flunk "x,y and xy differ"
expect 0 -- kde globe.csv --sphere --grid 60,30 -o globe.csv.npz --plot globe.png
contains out 'per steradian, at a grid of 1,800 places'
contains out 'it is (0.999|1|1.000)[0-9]* in all'
expect 0 -- kde globe.csv --sphere --bandwidth 20 -o globe-density.csv
[[ $(head -1 globe-density.csv) == lon,lat,density ]] || flunk "$(head -1 globe-density.csv)"

# Coasts from both formats.
echo '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[50,0],[50,50],[0,0]]]]}},
  {"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]}}]}' >coast.geojson
echo '{"type":"Topology","transform":{"scale":[1,1],"translate":[-10,-20]},"objects":{"land":{"type":"Polygon","arcs":[[0]]}},
  "arcs":[[[0,0],[30,0],[0,40]],[[0,0],[1,1]]]}' >coast.topojson
for file in coast.geojson coast.topojson; do
  expect 0 -- kde globe.csv --sphere --bandwidth 20 --plot $file.png --coast $file
  contains out 'at a grid of 7,200 places'
  cmp -s $file.png coast.geojson.png || [[ $file == coast.topojson ]] || flunk "$file"
done
cmp -s coast.geojson.png coast.topojson.png && flunk "other coasts, the same picture"
for file in line plane space globe coast.geojson; do
  [[ $(head -c 4 $file.png | od -An -c | tr -d ' ') == '211PNG' ]] || flunk "$file.png is no PNG"
done
if command -v python3 >/dev/null && python3 -c 'import numpy' 2>/dev/null; then
  python3 - <<'END' || flunk "what the npz files hold"
import numpy as np
plane, globe, space = np.load("plane.npz"), np.load("globe.csv.npz"), np.load("space.npy")
assert plane["density"].shape == (30, 40) and plane["x"].shape == (40,) and plane["bandwidth"].shape == (2, 2)
box = np.diff(plane["x"][:2])[0] * np.diff(plane["y"][:2])[0]
assert 0.98 < plane["density"].sum() * box < 1.0001
assert globe["density"].shape == (30, 60) and globe["lat"].shape == (30,) and globe["bandwidth"].shape == ()
assert space.shape == (50,)
END
fi

# A sample so wide that its density has few digits at this tolerance.
awk 'BEGIN {print "x,y"; for (i = 0; i < 400; ++i) print i % 20 "," int(i / 20)}' >lattice.csv
expect 0 -- kde lattice.csv --bandwidth 0.01 --tolerance 1e-3
contains out 'warning: errors of .* are allowed'

# Refused, each with one sentence.
expect 2 "'frog' is neither a number nor one of scott, silverman, isj" -- kde line.csv --bandwidth frog
for number in 0 -1 nan inf; do
  expect 2 'must be a finite number above 0' -- kde line.csv --bandwidth=$number
done
expect 2 "'1.2.3' is not a number" -- kde line.csv --bandwidth 1.2.3
expect 2 'give one number, or one for each of 2 axes' -- kde plane.csv --bandwidth 1,2,3
expect 2 'no number can hold' -- kde plane.csv --bandwidth 1e-200
expect 2 "'10x10' is not a whole number" -- kde plane.csv --grid 10x10
expect 2 "'0,10' is no grid" -- kde plane.csv --grid 0,10
expect 2 '--grid has 1 number, but the points have 2 coordinates' -- kde plane.csv --grid 10
expect 2 'more than 2e9 places' -- kde plane.csv --grid 1e6,1e6
expect 2 'give one of them' -- kde plane.csv --grid 10,10 --targets line.csv
expect 3 'the targets have 3 coordinates, but the points 2' -- kde plane.csv --targets space.csv
expect 3 'no column weight of numbers, which --weights names; there is q' -- kde plane.csv --weights weight
expect 3 'no column kind of numbers' -- kde plane.csv --weights kind
expect 3 'there are coordinates alone' -- kde line.csv --weights w
printf 'x,w\n0,1\n1,-1\n' >negative.csv
expect 3 'Point 1: its weight is -1' -- kde negative.csv --weights w --bandwidth 1
printf 'x,w\n0,0\n1,0\n' >zero.csv
expect 3 'All weights are 0' -- kde zero.csv --weights w --bandwidth 1
expect 3 'rule isj finds no bandwidth' -- kde zero.csv --bandwidth isj
printf 'x,y\n1,1\n2,2\n3,3\n' >flat.csv
expect 3 'no rule finds a bandwidth' -- kde flat.csv
printf 'x,y\n1,1\nnan,2\n' >nan.csv
expect 3 'Point 1: its coordinate along x' -- kde nan.csv
printf 'x\n' >empty.csv
expect 3 'There are no points' -- kde empty.csv
printf 'lon,lat\n0,91\n' >beyond.csv
expect 3 'Point 0: longitude 0 and latitude 91' -- kde beyond.csv --sphere --bandwidth 1
printf 'lon,lat\n0,89\n' >pole.csv
expect 3 'no rule finds a bandwidth' -- kde pole.csv --sphere
expect 3 'no columns longitude and latitude' -- kde zero.csv --sphere
expect 3 'have no third coordinate' -- kde space.csv --sphere
expect 3 'isj finds no bandwidth on the sphere' -- kde pole.csv --sphere --bandwidth isj
expect 0 -- kde globe.csv --sphere --bandwidth isj
contains out 'degrees, by the rule isj'
expect 2 'the sphere closes by itself' -- kde globe.csv --sphere --periodic x --cell 360
expect 2 '--periodic names 0 axes, --cell 1 length' -- kde plane.csv --cell 3
expect 2 '--periodic names 1 axis, --cell 0 lengths' -- kde plane.csv --periodic x
expect 2 "'w' is no list of axes" -- kde plane.csv --periodic w --cell 3
expect 2 "'x,x' is no list of axes" -- kde plane.csv --periodic x,x --cell 3,3
expect 2 'the points have 1 coordinate alone' -- kde line.csv --periodic y --cell 3
expect 2 '0 is no length of a period' -- kde line.csv --periodic x --cell 0
expect 2 'exceeds the period' -- kde line.csv --periodic x --cell 2 --bandwidth 3
expect 2 'written as PNG only' -- kde line.csv --plot a.jpg
expect 2 'ask for one with --plot' -- kde plane.csv --coast coast.geojson
expect 2 'would overwrite' -- kde plane.csv --plot a.png -o a.png --format npz
expect 2 'results are written as .npz, .csv or .npy' -- kde plane.csv -o a.txt
expect 2 '--format is that of the density' -- kde plane.csv --format npz
expect 3 'no such file' -- kde plane.csv --plot a.png --coast nothere.json
echo '{"type":"Topology","objects":{"land":{"arcs":[7]}},"arcs":[[[0,0],[1,1]]]}' >broken.json
expect 3 'neither TopoJSON nor GeoJSON, or it is damaged' -- kde plane.csv --plot a.png --coast broken.json
echo '{"type":"Topology"' >half.json
expect 3 'half.json, byte .*this is no JSON' -- kde plane.csv --plot a.png --coast half.json
echo '{}' >none.json
expect 3 'there are no lines in it' -- kde plane.csv --plot a.png --coast none.json
expect 2 'INPUT is required' -- kde
touch afile
expect 6 'afile/d.csv' -- kde plane.csv -o afile/d.csv
expect 6 'afile/d.png' -- kde plane.csv --plot afile/d.png
[[ ! -e a.png ]] || flunk "a refused run leaves a picture"

# The earthquakes of the whole world: more than a hundred times as many along the rings as on the continents.
if [[ -s $data/earthquakes-23k.csv ]]; then
  printf 'lon,lat\n-71,-30\n142,38\n-100,45\n20,25\n' >where.csv
  expect 0 -- kde "$data/earthquakes-23k.csv" --sphere --bandwidth 1.5 --targets where.csv -o chile.csv
  awk -F, 'NR > 1 {p[NR] = $3} END {exit !(p[2] > 1 && p[3] > 1 && p[4] < 0.01 && p[5] < 0.01)}' chile.csv ||
    flunk "earthquakes where they are not: $(cat chile.csv)"
else
  echo "the earthquakes are skipped: there is no $data/earthquakes-23k.csv"
fi
finish
