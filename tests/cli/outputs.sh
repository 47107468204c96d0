# Files that are written: their names, what shares them, and that they are there whole or not at all.
source "$(dirname "$0")/prelude.sh"
expect 0 -- generate plummer -n 2000 --seed 4 -o p.npz

# Names of any bytes: the report replaces what is no UTF-8, and so does whatever is printed.
odd=$'bad\xff\x1b[31m.csv'
printf 'x,y,z,q,\xfe\x1b[1mspin\n0,0,0,1,5\n1,0,0,2,6\n' >"$odd"
expect 0 -- run "$odd" -o odd.npz --plot odd.png --report odd.json
contains odd.json '"file": "bad.*csv"'
contains odd.json '"extra_columns"'
python3 -c 'import json; json.load(open("odd.json", encoding="utf-8"))' 2>/dev/null || ! command -v python3 >/dev/null ||
  flunk "odd.json is no JSON in UTF-8"
expect 0 -- info "$odd"
grep -q $'\033' out && flunk "info passes an escape sequence on"
expect 0 -- run "$odd"
grep -q $'\033' out && flunk "run passes an escape sequence on"
expect 3 'no such file' -- run $'not\xff\x1b[31mthere.csv'
grep -q $'\033' err && flunk "an error passes an escape sequence on"

# One file for two outputs, however it is spelled; a picture under another name than PNG.
mkdir sub
ln -s ../same.npz sub/link.npz
touch same.npz
expect 2 '--report would overwrite same.npz' -- run p.npz -o same.npz --report ./same.npz
expect 2 '--report would overwrite sub/link.npz' -- run p.npz -o sub/link.npz --report sub/../same.npz
expect 2 '--report would overwrite p.npz, the file of INPUT' -- run p.npz --report "$PWD/p.npz"
expect 2 '--plot would overwrite a.png, the file of --report' -- run p.npz --report a.png --plot a.png
expect 2 'a.jpg: pictures are written as PNG only' -- run p.npz --plot a.jpg
[[ ! -e a.jpg && ! -s same.npz ]] || flunk "a refused run has written something"
expect 0 -- run p.npz --report /dev/null

# As long a name as the system has.
long=$(printf 'n%.0s' {1..251})
expect 0 -- run p.npz -o "$long.csv" --plot "${long}.png"
[[ -s $long.csv && -s $long.png ]] || flunk "a name of 255 letters is not written"
expect 6 'File name too long' -- run p.npz -o "n$long.csv"
expect 0 -- run p.npz -o p.npz
[[ $("$farfield" info p.npz) == *potentials* ]] || flunk "results do not replace their input"

# Interrupted while writing: nothing remains, and the file that was there is there.
set -m  # without job control a shell makes what runs beside it deaf to SIGINT
mkdir busy
"$farfield" generate uniform -n 4e5 --seed 1 -o busy/g.csv >/dev/null
before=$(cksum busy/g.csv)
for signal in INT TERM HUP KILL; do
  "$farfield" generate uniform -n 4e6 --seed 1 -o busy/g.csv >/dev/null 2>&1 &
  job=$!
  # In the midst of the writing: the file has grown, under whatever name it has.
  for ((i = 0; i < 1000; ++i)); do
    size=$(stat -L -c %s /proc/$job/fd/* 2>/dev/null | sort -n | tail -1) || true
    ((${size:-0} < 1000000)) || break
    sleep 0.02
  done
  ((${size:-0} >= 1000000)) || flunk "nothing was being written when SIG$signal came"
  kill -s $signal $job
  wait $job 2>/dev/null || true
  [[ $signal == KILL && $(stat -f -c %T busy) != @(tmpfs|ext2/ext3|xfs|btrfs) ]] && rm -f busy/.farfield-*  # named there
  [[ $(ls -A busy) == g.csv ]] || flunk "SIG$signal leaves $(ls -A busy)"
  [[ $(cksum busy/g.csv) == "$before" ]] || flunk "SIG$signal changes the file that was there"
done
finish
