# farfield biot-savart: columns in, velocities and stretching out, in every format, and what it refuses.
source "$(dirname "$0")/prelude.sh"

# A particle of strength (0, 0, 12.566...) = 4 pi e_z at the origin and one of (1, 0, 0) at (2, 0, 0): at distance 2 the
# velocity is (0, 1/4, 0), with the algebraic core of sigma 2 (rho = 1) times q = 7/2 / 2^(5/2).
printf 'x,y,z,ax,ay,az,name_code\n0,0,0,0,0,12.566370614359172954,7\n2,0,0,1,0,0,8\n' >pair.csv
printf 'x,y,z\n2,0,0\n' >at.csv
expect 0 -- biot-savart pair.csv --targets at.csv -o out.csv --precision double
contains out.csv '^x,y,z,ux,uy,uz$'
contains out.csv '^2,0,0,-?0,0\.2[0-9]+,-?0$'
# The strength and 1/(4 pi) are rounded, and so is 1/r^3: 1/4 to a few units in the last place, of 2.8e-17 just below it.
awk -F, 'NR == 2 && ($5 - 0.25)^2 > 1e-32 { bad = 1 } END { exit bad || NR != 2 }' out.csv || flunk "not 1/4: $(cat out.csv)"
expect 0 -- biot-savart pair.csv --core algebraic --sigma 2 --stretching --precision double -o out.csv
contains out.csv '^x,y,z,ax,ay,az,name_code,ux,uy,uz,sx,sy,sz$'
awk -F, '
  function near(a, b) { return (a - b) * (a - b) < 1e-24 }
  # u_y = q/r^2 = r (r^2 + 10) / (r^2 + 4)^(5/2), whose derivative, by which (1, 0, 0) is stretched, is
  # (3 r^2 + 10) / (r^2 + 4)^(5/2) - 5 r^2 (r^2 + 10) / (r^2 + 4)^(7/2)
  NR == 3 && !(near($9, 3.5 / sqrt(32) / 4) && near($8, 0) && near($12, 22 / sqrt(32768) - 280 / sqrt(2097152))) { bad = 1 }
  END { exit bad || NR != 3 }' out.csv || flunk "algebraic core: $(cat out.csv)"
contains out 'algebraic, sigma 2'
# What it wrote is input again, with the results in their old columns.
expect 0 -- biot-savart out.csv --core gauss --sigma 0.5 -o again.csv
contains again.csv '^x,y,z,ax,ay,az,name_code,sx,sy,sz,ux,uy,uz$'
expect 0 -- biot-savart pair.csv -o out.npz --stretching -q
[[ ! -s out ]] || flunk "quiet, but says $(cat out)"
expect 0 -- biot-savart out.npz -o - --format csv --core plummer --sigma 0.1 -q
contains out '^x,y,z,ax,ay,az,name_code,'
expect 0 -- biot-savart pair.csv -o out.npy
expect 0 -- biot-savart pair.csv

# By the fast method, and what the check measures.
awk 'BEGIN { srand(5); print "x,y,z,ax,ay,az"; for (i = 0; i < 4000; ++i) print rand() "," rand() "," rand() "," rand() - 0.5 "," rand() - 0.5 "," rand() - 0.5 }' >cloud.csv
expect 0 -- biot-savart cloud.csv --method fmm --core gauss --sigma 0.02 --stretching --tolerance 1e-3 --check 100 -o fast.csv
expect 0 -- biot-savart cloud.csv --method direct --precision double --core gauss --sigma 0.02 --stretching -o exact.csv
paste -d, fast.csv exact.csv | awk -F, '
  NR > 1 { for (k = 7; k <= 12; ++k) { d = $k - $(k + 12); error[k > 9] += d * d; all[k > 9] += $(k + 12) * $(k + 12) } }
  END { exit !(NR == 4001 && sqrt(error[0] / all[0]) < 2e-3 && sqrt(error[1] / all[1]) < 3e-3 && error[0] > 0) }' ||
  flunk "the fast method misses"

# Refused in one sentence.
printf 'x,y,z,ax,ay\n1,2,3,4,5\n' >four.csv
expect 3 'there is no column az; the strengths of vortex particles' -- biot-savart four.csv
expect 2 '--core gauss has no length; give one with --sigma' -- biot-savart pair.csv --core gauss
expect 2 '--sigma is the length of a core; name one with --core' -- biot-savart pair.csv --sigma 1
expect 2 'stretching is that of the particles' -- biot-savart pair.csv --targets at.csv --stretching
expect 2 "plummer" -- biot-savart pair.csv --core spline --sigma 1
expect 2 'softening -1 is not a length' -- biot-savart pair.csv --core gauss --sigma=-1
expect 2 'not offered by method treecode' -- biot-savart pair.csv --core gauss --sigma 1 --method treecode
printf 'x,y,z,ax,ay,az\n1,2,3,4,5,nan\n' >nan.csv
expect 3 'strength' -- biot-savart nan.csv
finish
