# Dipoles, several densities and Hessians: columns in, columns out, the report, and what is refused.
source "$(dirname "$0")/prelude.sh"

# A charge of 2 at the origin with a dipole along x, seen from (2, 0, 0) and (0, 0, 2) by hand:
# u = q/r + p.d/r^3, grad u = -q d/r^3 + p/r^3 - 3 (p.d) d/r^5.
cat >one.csv <<'CSV'
x,y,z,q,dx,dy,dz,q2,name_code
0,0,0,2,4,0,0,8,7
CSV
printf 'x,y,z\n2,0,0\n0,0,2\n' >at.csv
expect 0 -- run one.csv --targets at.csv --hessian --method direct --precision double -o out.csv --report out.json --check 2
contains out.csv '^x,y,z,potential,gx,gy,gz,hxx,hyy,hzz,hxy,hxz,hyz,potential2,gx2,gy2,gz2,hxx2,hyy2,hzz2,hxy2,hxz2,hyz2$'
awk -F, '
  function near(a, b) { return (a - b) * (a - b) < 1e-24 }
  # q 2: u 1, g -1/2, hxx 2 q/r^3 = 1/2, hyy = hzz = -1/4; p 4: u 1, g -2 p/r^3 = -1, hxx 6 p/r^4 = 3/2, hyy -3/4
  NR == 2 && !(near($4, 2) && near($5, -1.5) && near($6, 0) && near($8, 2) && near($9, -1) && near($10, -1)) { bad = 1 }
  NR == 2 && !(near($14, 4) && near($15, -2) && near($18, 2) && near($19, -1)) { bad = 1 }
  # there p.d = 0: u 1, gx p/r^3 = 1/2, gz -1/2, hxz = -3 p/r^4 = -3/4, hzz 1/2
  NR == 3 && !(near($4, 1) && near($5, 0.5) && near($7, -0.5) && near($10, 0.5) && near($12, -0.75) && near($8, -0.25)) { bad = 1 }
  END { exit bad || NR != 3 }' out.csv || flunk "a charge and a dipole: $(cat out.csv)"
tr -s ' \n' ' ' <out >joined
contains joined 'q_j/\|x - y_j\| \+ p_j\.\(x - y_j\)/\|x - y_j\|\^3, its gradient and Hessian, unsoftened, at 2 targets, of 2 densities'
contains out 'of the first density'
contains out '^ *Hessian .*pass'
contains out.json '"hessian": true'
contains out.json '"dipoles": true'

# The same from an archive, and back from the results: further densities and dipoles are carried through.
expect 0 -- run one.csv --hessian --method direct -o one.npz
expect 0 -- run one.npz --targets at.csv --hessian --method direct --precision double -o again.csv
cmp -s out.csv again.csv || flunk "an archive gives other results: $(cat again.csv)"

# The fast method keeps the tolerance in all parts, and densities do not disturb each other.
expect 0 -- generate plummer -n 3000 --seed 5 --strengths mixed --dipoles -o p.csv
contains p.csv '^x,y,z,q,dx,dy,dz$'
expect 0 -- check p.csv --hessian --method fmm --tolerance 1e-5
for part in potential gradient Hessian; do contains out "^ *$part .*pass"; done
expect 0 -- run p.csv --hessian --method fmm --tolerance 1e-5 -o first.csv
awk -F, 'NR == 1 {print $0 ",q2,dx2,dy2,dz2"} NR > 1 {print $0 "," (-$4) ",1,2,3"}' p.csv >two.csv
expect 0 -- run two.csv --hessian --method fmm --tolerance 1e-5 -o both.csv
cut -d, -f1-14 first.csv >a; cut -d, -f1-14 both.csv >b
cmp -s a b || flunk "a second density changes the first"
expect 0 -- run p.csv --hessian --tolerance 1e-5 -o p.npz
expect 0 -- info p.npz
contains out '^Results +potentials and gradients and Hessians'
expect 0 -- run p.npz --hessian --tolerance 1e-4
tr -s ' \n' ' ' <out >joined
contains joined 'Reference .*potential .*gradient .*Hessian [0-9]'

# Dipoles alone need no charges.
cut -d, -f1-3,5-7 p.csv >dipoles.csv
expect 0 -- check dipoles.csv --gradient --tolerance 1e-5
contains out '^ *gradient .*pass'

# No bodies, and nothing of the names of ordinary columns: a file without densities is what it was.
printf 'x,y,z,q,dx,dy,dz,q2\n' >none.csv
expect 0 -- run none.csv --hessian --check 10 -o none-out.csv
printf 'x,y,z,q,dx,dy,q3\n0,0,0,1,5,6,7\n1,0,0,1,5,6,7\n' >plain.csv
expect 0 -- run plain.csv -o plain-out.csv
contains plain-out.csv '^x,y,z,q,potential,dx,dy,q3$'

# What is wrong or not offered, in one sentence.
expect 2 'Hessians of kernel laplace2d are not offered' -- run one.csv --kernel laplace2d --hessian
expect 2 'dipoles of kernel vortex are not offered' -- run one.csv --kernel vortex
expect 2 'not offered by method treecode' -- run one.csv --method treecode
expect 2 'kind gauss is not offered by method treecode' -- run plain.csv --softening 0.1 --softening-kind gauss --method treecode
expect 0 -- run p.csv --softening 0.1 --softening-kind algebraic --method fmm --hessian
printf 'x,y,z,q,dx,dy,dz\n1,2,3,4,5,up,7\n' >words.csv
expect 3 "'up' in column dy is not a number" -- run words.csv
printf 'x,y,z,q,dx,dy,dz\n1,2,3,4,5,nan,7\n' >nan.csv
expect 3 'dipole 0' -- run nan.csv
printf 'x,y,z,q,q2\n1,2,3,4,nan\n' >nan2.csv
expect 3 'strength 0 of vector 1' -- run nan2.csv
finish
