# Kernels of the plane whose result is a vector: columns, pictures, cores and rows.
source "$(dirname "$0")/prelude.sh"

expect 0 -- generate vortices -n 3e3 --seed 2 -o v.csv
expect 0 -- run v.csv --kernel vortex --method fmm --check 200 -o u.csv --plot u.png --report u.json
contains u.csv '^x,y,z,q,u,v$'
contains out 'velocity  .*1e-6 .*pass'
contains u.json '"vector": "velocity"'
contains u.json '"potential": false'
expect 0 -- run v.csv --kernel vortex --stream-function -o s.csv
contains s.csv '^x,y,z,q,potential,u,v$'
expect 0 -- run v.csv --kernel cauchy -o c.csv
contains c.csv '^x,y,z,q,re,im$'
expect 0 -- run v.csv --kernel vortex -o u.npz
expect 0 -- info u.npz
contains out 'velocity'
expect 0 -- run u.csv --kernel vortex -o again.csv
contains again.csv '^x,y,z,q,u,v,u_,v_$'

expect 0 -- run v.csv --kernel vortex --core gauss:0.01 --method fmm --check 200
contains out 'cores gauss of radius 0.01'
expect 0 -- run v.csv --kernel vortex --core rankine:0.01 --stream-function --method fmm --check 200 -o s.csv
contains s.csv '^x,y,z,q,potential,u,v$'
expect 2 -- run v.csv --kernel vortex --core disc:0.01
contains err "'disc:0.01' is none"
expect 2 -- run v.csv --kernel vortex --core gauss:-1
contains err 'core radius -1 is not a length'

expect 0 -- run v.csv --kernel vortex --periodic x --cell 9 --check 200 -o row.csv
contains out 'repeated along x every 9'
contains row.csv '^x,y,z,q,u,v$'
expect 0 -- run v.csv --kernel vortex --periodic x --cell 9 --stream-function --check 200 -o row.csv
contains row.csv '^x,y,z,q,potential,u,v$'
expect 2 -- run v.csv --kernel vortex --periodic x
contains err '--cell has 0 lengths, but --periodic x names 1 axis'
expect 2 -- run v.csv --kernel vortex --cell 3
contains err '--cell has 1 length, but --periodic none names 0 axes'
expect 2 -- run v.csv --kernel vortex --periodic xy --cell 3,4
contains err 'rows along x are'
finish
