# Help and version: exit code 0, within 80 columns, an example for every subcommand.
source "$(dirname "$0")/prelude.sh"

expect 0 -- --version
contains out '^farfield [0-9]+\.[0-9]+\.[0-9]+$'
expect 0 -- --help
for command in run check simulate kde coulomb biot-savart generate info bench; do contains out "^  $command  "; done
contains out 'Exit codes: 0 ok'
for command in '' run check simulate kde coulomb biot-savart generate info bench; do
  # shellcheck disable=SC2086  # no subcommand is no word
  expect 0 -- $command --help
  contains out '^Examples:'
  contains out "^  farfield $command"
  awk 'length > 80 {exit 1}' out || flunk "help of '$command' is wider than 80 columns"
done
expect 0 -- info
for word in Farfield Threads SIMD Precision Backends; do contains out "^$word"; done
finish
