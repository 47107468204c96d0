# farfield simulate: what it writes, that a run can be cut without changing a bit, and what it refuses.
source "$(dirname "$0")/prelude.sh"
expect 0 -- generate plummer -n 400 --seed 3 -o p.npz
expect 0 -- generate galaxies -n 500 --seed 3 -o g.npz

# 20 steps are 10 and 10 more: every array and number of the snapshots, and every digit of the energies.
for forces in "--tolerance 1e-4 --method fmm" "--softening 0.05"; do
  rm -rf whole halves
  # shellcheck disable=SC2086  # options
  expect 0 -- simulate g.npz --dt 0.02 --steps 20 $forces -o whole --snapshots 10 --paraview --threads 2
  # shellcheck disable=SC2086
  expect 0 -- simulate g.npz --dt 0.02 --steps 10 $forces -o halves --snapshots 10 --paraview --threads 1
  expect 0 -- simulate halves/snapshot_000010.npz --resume --steps 10 --snapshots 10 --paraview --threads 2
  contains out 'goes on from step 10, t = 0.2'
  for file in snapshot_000020.npz snapshot_000020.vtp snapshots.pvd energy.csv; do
    cmp -s whole/$file halves/$file || flunk "$file differs after --resume: $forces"
  done
done
[[ $(wc -l <whole/energy.csv) == 22 ]] || flunk "energy.csv has not a row for each step"
[[ $(awk -F, 'NR > 1 {print $1}' halves/energy.csv | xargs) == "$(seq -s ' ' 0 20)" ]] || flunk "steps of energy.csv"
[[ $(ls whole) == "$(ls halves)" ]] || flunk "other files after --resume"

# Softening lengths of the bodies themselves are kept in the snapshots.
expect 0 -- generate galaxies -n 500 --seed 3 -o g.csv
awk -F, 'NR == 1 {print $0 ",eps"} NR > 1 {print $0 "," (NR % 2 ? 0.02 : 0.1)}' g.csv >kinds.csv
for forces in "--softening 0.1,0.05,0.02 --softening-kind spline --method fmm --tolerance 1e-3" "--softening-column eps"; do
  rm -rf whole2 halves2
  # shellcheck disable=SC2086
  expect 0 -- simulate kinds.csv --dt 0.02 --steps 10 $forces -o whole2 --threads 2
  contains out 'softening 0.02 to'
  # shellcheck disable=SC2086
  expect 0 -- simulate kinds.csv --dt 0.02 --steps 5 $forces -o halves2 --threads 1
  expect 0 -- simulate halves2/snapshot_000005.npz --resume --steps 5
  contains out 'softening 0.02 to'
  cmp -s whole2/snapshot_000010.npz halves2/snapshot_000010.npz || flunk "differs after --resume: $forces"
done
expect 0 -- simulate kinds.csv --dt 0.02 --steps 10 --softening 0.1 -o one2
cmp -s whole2/energy.csv one2/energy.csv && flunk "softening lengths of the bodies change nothing"
expect 0 -- simulate kinds.csv --dt 0.02 --steps 10 --softening 0.1,0.1,0.1 -o same2
cmp -s one2/snapshot_000010.npz same2/snapshot_000010.npz || flunk "equal lengths are not one length"
expect 2 '--softening-column cannot be given with --resume' -- \
  simulate halves2/snapshot_000005.npz --resume --softening-column eps --steps 1
expect 2 "there is no column 'soft'" -- simulate kinds.csv --dt 0.02 --steps 1 --softening-column soft -o none2

# Into another folder, and again: later rows are replaced.
expect 0 -- simulate halves/snapshot_000010.npz --resume --steps 3 -o third
[[ -s third/snapshot_000013.npz && $(wc -l <third/energy.csv) == 5 ]] || flunk "resumed elsewhere: $(ls third)"
expect 0 -- simulate halves/snapshot_000010.npz --resume --steps 2
[[ $(tail -1 halves/energy.csv) == 12,* ]] || flunk "rows behind the snapshot remain: $(tail -1 halves/energy.csv)"

# Frames keep their view, colours and brightness, although the bodies spread from where a run goes on.
expect 0 -- simulate g.npz --dt 0.5 --steps 20 --softening 0.05 --frames 10 -o film
expect 0 -- simulate g.npz --dt 0.5 --steps 10 --softening 0.05 --frames 10 -o films
expect 0 -- simulate films/snapshot_000010.npz --resume --steps 10 --frames 10
cmp -s film/frames/frame_000020.png films/frames/frame_000020.png || flunk "a frame differs after --resume"
expect 0 -- simulate films/snapshot_000010.npz --resume --steps 10 --frames 10 --view -1,1,-1,1
cmp -s film/frames/frame_000020.png films/frames/frame_000020.png && flunk "--view has no effect after --resume"

# GADGET's HDF5, where this build has it.
if [[ $("$farfield" simulate g.npz --dt 0.02 --steps 0 --gadget -o gadget 2>&1) == *'has no HDF5'* ]]; then
  expect 2 '--gadget: this build has no HDF5' -- simulate g.npz --dt 0.02 --steps 1 --gadget -o gadget
else
  expect 0 -- info gadget/snapshot_000000.hdf5
  contains out 'GADGET snapshot in HDF5, 500 bodies'
  expect 0 -- simulate gadget/snapshot_000000.hdf5 --dt 0.02 --steps 1 --softening 0.05 -o gadgets
  grep -q 'start at rest' out && flunk "velocities of HDF5 are not read"
  expect 3 "no number 'step'" -- simulate gadget/snapshot_000000.hdf5 --resume --steps 1
fi

# What is printed, and the pictures.
expect 0 -- simulate g.npz --dt 0.02 --steps 20 --softening 0.05 --energies 5 --frames 10 --view -12,12,-9,9 -o shown
for word in Input Motion Forces step Energy Momentum Written; do contains out "^ *$word"; done
contains out 'direct sums over all pairs on '
contains out 'G = 1'
[[ $(grep -cE '^ +[0-9]+ +[0-9.]+ ' out) == 5 ]] || flunk "the table has not five rows: $(cat out)"
awk 'length > 80 {exit 1}' out || flunk "wider than 80 columns"
for file in energy.png frames/frame_000000.png frames/frame_000010.png frames/frame_000020.png; do
  [[ $(head -c 4 shown/$file | od -An -c | tr -d ' ') == '211PNG' ]] || flunk "$file is no PNG"
done
expect 0 -- info shown/snapshot_000020.npz
contains out '^Numbers +time  0.4'
contains out 'vx'
expect 0 -- run shown/snapshot_000020.npz -q
expect 0 -- simulate p.npz --dt 0.01 --steps 2 -q -o quiet
[[ ! -s out ]] || flunk "--quiet prints: $(cat out)"
expect 0 -- simulate p.npz --dt 0.01 --steps 0 -o none
contains out 'the file has no velocities'
[[ -s none/snapshot_000000.npz ]] || flunk "no steps, no snapshot"

# A movie where ffmpeg is: a stand-in that writes its last word's file, and one that fails.
mkdir bin
printf '#!/bin/sh\nfor last; do :; done\necho movie >"$last"\n' >bin/ffmpeg
chmod +x bin/ffmpeg
PATH=$PWD/bin:$PATH expect 0 -- simulate p.npz --dt 0.01 --steps 2 --frames 1 -o movie
[[ $(cat movie/movie.mp4) == movie && $(ls movie) != *part* ]] || flunk "no movie: $(ls movie)"
printf '#!/bin/sh\nexit 1\n' >bin/ffmpeg
PATH=$PWD/bin:$PATH expect 0 -- simulate p.npz --dt 0.01 --steps 2 --frames 1 -o nomovie
contains out 'no movie'
rm bin/ffmpeg
PATH=$PWD/bin expect 0 -- simulate p.npz --dt 0.01 --steps 2 --frames 1 -o withoutmovie
contains out 'ffmpeg is not installed'

# Bodies from other formats: columns of csv in any case.
printf 'x,y,z,mass,VX,VY,VZ\n0,0,0,1,0,-0.5,0\n1,0,0,1,0,0.5,0\n' >two.csv
expect 0 -- simulate two.csv --dt 0.01 --steps 10 --precision double
grep -q 'start at rest' out && flunk "velocities of a csv are not read"
[[ -s two-motion/snapshot_000010.npz ]] || flunk "the default folder is not two-motion"
"$farfield" simulate - --dt 0.01 --steps 1 -q <two.csv || flunk "from a pipe"
[[ -s motion/snapshot_000001.npz ]] || flunk "the default folder of a pipe is not motion"

# Refused, each with one sentence.
expect 2 'time step 0 is not a finite number above 0' -- simulate g.npz --dt 0 --steps 1
expect 2 'time step -0.1' -- simulate g.npz --dt -0.1 --steps 1
expect 2 'time step nan' -- simulate g.npz --dt nan --steps 1
expect 2 'gravitational constant 0' -- simulate g.npz --dt 0.1 --steps 1 --gravity 0
expect 2 "--steps: '-1' is not a whole number" -- simulate g.npz --dt 0.1 --steps -1
expect 2 "--steps: '1.5' is not a whole number" -- simulate g.npz --dt 0.1 --steps 1.5
expect 2 '--steps is required' -- simulate g.npz --dt 0.1
expect 2 '--dt is required' -- simulate g.npz --steps 1
expect 2 'INPUT is required' -- simulate --steps 1 --dt 0.1
expect 2 "--view: '1,2,3' is not four numbers" -- simulate g.npz --dt 0.1 --steps 1 --view 1,2,3
expect 2 'show nothing' -- simulate g.npz --dt 0.1 --steps 1 --view 2,1,0,1 -o v
expect 2 '--dt cannot be given with --resume' -- simulate whole/snapshot_000010.npz --resume --dt 1 --steps 1
expect 2 '--softening cannot be given with --resume' -- \
  simulate whole/snapshot_000010.npz --resume --softening 1 --steps 1
expect 2 'holds another run' -- simulate g.npz --dt 0.1 --steps 1 -o whole
expect 2 'softening -1' -- simulate g.npz --dt 0.1 --steps 1 --softening -1 -o bad
[[ -z $(ls -A bad)$(ls -A v) ]] || flunk "refused runs leave $(ls bad v)"
expect 0 -- simulate g.npz --dt 0.1 --steps 1 -o bad
expect 3 'there is no such file' -- simulate nothere.npz --dt 0.1 --steps 1
expect 3 "no number 'step'" -- simulate g.npz --resume --steps 1
printf 'x,y,z\n0,0,0\n' >bare.csv
expect 3 'there is no column q' -- simulate bare.csv --dt 0.1 --steps 1
printf 'x,y,z,q\n0,0,0,0\n1,0,0,0\n' >massless.csv
expect 3 'have no mass' -- simulate massless.csv --dt 0.1 --steps 1
printf 'x,y,z,q\n0,0,0,1\n1,0,0,-1\n' >charges.csv
expect 3 'Body 1: its mass is -1' -- simulate charges.csv --dt 0.1 --steps 1
printf 'x,y,z,q,vx,vy,vz\n0,0,0,1,0,nan,0\n' >nan.csv
expect 3 'Body 0: its velocity along y is nan' -- simulate nan.csv --dt 0.1 --steps 1
printf 'x,y,z,q,vx,vy,vz\n0,0,0,1,1e300,0,0\n1,0,0,1,0,0,0\n' >fast.csv
expect 3 'smaller --dt' -- simulate fast.csv --dt 1e10 --steps 3
touch afile
expect 6 'afile/sub: this folder cannot be made' -- simulate g.npz --dt 0.1 --steps 1 -o afile/sub
expect 6 'afile: this folder cannot be made' -- simulate g.npz --dt 0.1 --steps 1 -o afile
if [[ -w /dev/full ]]; then  # a disk without space
  mkdir full && ln -s /dev/full full/energy.csv
  expect 2 'full holds another run' -- simulate g.npz --dt 0.1 --steps 1 -o full
  cp whole/snapshot_000010.npz full
  expect 6 'full/energy.csv: cannot be written' -- simulate full/snapshot_000010.npz --resume --steps 1
fi
mkdir blocked && touch blocked/frames
expect 6 'blocked/frames: this folder cannot be made' -- simulate g.npz --dt 0.1 --steps 1 -o blocked --frames 1

# Interrupted: the step is finished, its state is saved, the next command is told, and that goes on.
set -m  # without job control a shell makes what runs beside it deaf to SIGINT
for signal in INT TERM; do
  rm -rf cut
  "$farfield" simulate g.npz --dt 0.02 --steps 1000000 --softening 0.05 -o cut >out 2>err &
  job=$!
  for ((i = 0; i < 500; ++i)); do
    [[ -s cut/energy.csv ]] && (($(wc -l <cut/energy.csv) > 12)) && break
    sleep 0.02
  done
  kill -s $signal $job
  code=0
  wait $job 2>/dev/null || code=$?
  [[ $code == 130 || $code == 143 ]] || flunk "SIG$signal ends with $code: $(cat err)"
  contains out '^Interrupted after step [0-9]+ of 1000000'
  next=$(sed -n 's/^  farfield //p' out)
  [[ $next == 'simulate cut/snapshot_'*' --resume --steps '* ]] || flunk "no command to go on: $(cat out)"
  at=$(sed 's/.*snapshot_0*\([0-9]*\)\.npz.*/\1/' <<<"$next")
  # shellcheck disable=SC2046  # words
  expect 0 -- $(sed 's/--steps [0-9]*/--steps 3/' <<<"$next")
  [[ $(tail -1 cut/energy.csv) == $((at + 3)),* ]] || flunk "does not go on from step $at: $(tail -1 cut/energy.csv)"
done
finish
