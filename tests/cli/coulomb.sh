# farfield coulomb: charges, cells and bonds of files and options in; energies in the units asked for and forces out.
source "$(dirname "$0")/prelude.sh"
data=$2

energy_is() { # energy_is VALUE ERROR: of the last run
  awk -v value="$1" -v error="$2" '/^Energy/ { found = 1; d = $2 - value; if (d * d > error * error) exit 1 }
    END { exit !found }' out || flunk "energy is not $1: $(cat out)"
}

# Four charges whose energy in the unit cube, and between two planes of it, is known.
printf 'x,y,z,q\n.1,.2,.3,1\n.45,.75,.15,-2\n.8,.35,.6,1.5\n.25,.5,.85,-.5\n' >four.csv
expect 0 -- coulomb four.csv --periodic xyz --cell 1,1,1 --tolerance 1e-9 --virial -o out.csv
energy_is -7.432377394252 1e-7
contains out '^Virial +-2.585103.* -4.1236596.* 0.90224907'
contains out "xx yy zz xy xz yz, LAMMPS' sign"
contains out 'periodic along xyz: a = \(1, 0, 0\) b = \(0, 1, 0\) c = \(0, 0, 1\)'
contains out.csv '^x,y,z,q,potential,energy,fx,fy,fz$'
awk -F, 'NR > 1 { sum += $6; if (NR == 2 && ($7 - 6.00290017463) ^ 2 > 1e-14) exit 1 }
  END { exit NR != 5 || (sum + 7.432377394252) ^ 2 > 1e-14 }' out.csv || flunk "forces: $(cat out.csv)"
expect 0 -- coulomb four.csv --periodic xy --cell 1,1 --tolerance 1e-9
energy_is -6.396389639575 1e-7
expect 0 -- coulomb four.csv --tolerance 1e-9 --units metal
energy_is -87.07262812 1e-6 # -6.046859357648 times 14.399645
contains out 'eV'
contains out '^Cell +open$'
expect 0 -- coulomb four.csv --cell 1,0,0,.3,1.1,0,-.4,.25,.9 --periodic xyz --tolerance 1e-9 --surface vacuum
contains out 'that the border of the cell breaks'
# D = (0.275, -1.025, 0.475): -8.031924154012 + 2 pi D^2 / (3 * 0.99)
energy_is -5.171964175 1e-7
expect 0 -- coulomb four.csv --cell 1,0,0,.3,1.1,0,-.4,.25,.9 --periodic xyz --surface vacuum --dipole .275,-1.025,.475 -q
[[ ! -s out ]] || flunk "quiet, but says $(cat out)"
expect 0 -- coulomb four.csv -o out.npz --remove-net-force --virial
expect 0 -- coulomb four.csv -o out.npy
expect 0 -- coulomb four.csv -o - --format csv -q
contains out '^0.1,0.2,0.3,1,'

# A chain of three atoms across the border of LAMMPS' box: bonds 0-1 and 1-2 are left out, of 0-2 a half stays.
printf 'a chain\n\n4 atoms\n2 bonds\n1 atom types\n1 bond types\n\n-1 9 xlo xhi\n-1 9 ylo yhi\n-1 9 zlo zhi\n\nAtoms # full\n\n' >chain.lmp
printf '10 1 1 1 8.5 0 0\n20 1 1 -2 -0.5 0 0\n30 1 1 1 -0.5 1 0\n40 2 1 0 4 4 4\n\nBonds\n\n1 1 10 20\n2 1 30 20\n' >>chain.lmp
expect 0 -- coulomb chain.lmp --tolerance 1e-9 --units real --exclude none
whole=$(awk '/^Energy/ { print $2 }' out)
expect 0 -- coulomb chain.lmp --tolerance 1e-9 --units real --special-bonds 0,0.5,0
energy_is "$(awk -v e="$whole" 'BEGIN { printf "%.9f", e - 332.06371 * (-2 - 2 + .5 / sqrt(2)) }')" 1e-5
contains out '^Left out +3 pairs by 2 bonds; of 1-2, 1-3 and 1-4 stay 0, 0.5, 0$'
contains out 'kcal/mol'
contains out 'periodic along xyz: a = \(10, 0, 0\)'
expect 0 -- coulomb chain.lmp --tolerance 1e-9 --units real --exclude molecules
energy_is "$(awk -v e="$whole" 'BEGIN { printf "%.9f", e - 332.06371 * (-2 - 2 + 1 / sqrt(2)) }')" 1e-5
expect 0 -- coulomb chain.lmp --units real --accuracy 1e-5 --periodic none
contains out 'most 1e-5 of that of two unit charges 1 Angstrom apart'

# Atoms of GROMACS by their names; nm and kJ/mol.
printf 'pair\n    2\n    1NA      NA    1   0.100   0.100   0.100\n    2CL      CL    2   0.350   0.100   0.100\n   5.0   5.0   5.0\n' >pair.gro
expect 0 -- coulomb pair.gro --charges NA=1,CL=-1 --periodic none
energy_is -555.74183058 1e-3 # 138.935457644 / 0.25
contains out 'kJ/mol/nm'

# A system of ScaFaCoS brings cell, axes and potentials.
cat >pair.xml <<'XML'
<scafacos_test name="pair" reference_method="ewald">
<configuration offset="0 0 0" box_a="1 0 0" box_b="0 1 0" box_c="0 0 1" periodicity="1 1 1" epsilon="metallic">
<particle position="0 0 0" q="1" potential="-2.035361509452595" field="0 0 0"/>
<particle position="0.5 0.5 0.5" q="-1" potential="2.035361509452595" field="0 0 0"/>
</configuration>
</scafacos_test>
XML
expect 0 -- coulomb pair.xml --tolerance 1e-10
energy_is -2.035361509 1e-8
contains out '-2.035361509 by the potentials of the file: .*apart'
if [[ -e $data/spc216.gro ]]; then
  expect 0 -- coulomb "$data/spc216.gro" --charges OW=-0.82,HW1=0.41,HW2=0.41 --exclude molecules --tolerance 1e-8
  energy_is -11255.90616 1e-3
  contains out '648 pairs within molecules'
else
  echo "the water of GROMACS is skipped: $data/spc216.gro is not there"
fi

expect 3 'the file has no charges; name them, as --charges OW=' -- coulomb pair.gro
expect 2 '--charges has none for atom CL' -- coulomb pair.gro --charges NA=1
expect 2 '--charges names K, and no atom is called so' -- coulomb pair.gro --charges NA=1,CL=-1,K=1
expect 2 'a gro file is in nm, units real are in Angstrom' -- coulomb pair.gro --charges NA=1,CL=-1 --units real
expect 2 "is no atom's name and charge" -- coulomb pair.gro --charges NA
expect 2 'go by names of atoms, which this file does not have' -- coulomb four.csv --charges NA=1
expect 2 'the file has none; use --exclude molecules, or none' -- coulomb four.csv --exclude bonds
expect 2 'does not say which atom belongs to which' -- coulomb four.csv --exclude molecules
expect 2 'special-bonds are of --exclude bonds' -- coulomb four.csv --special-bonds 0,0,0.5
expect 2 'has to be 3 numbers' -- coulomb chain.lmp --special-bonds 0,0
expect 3 'a fraction of 2 is kept' -- coulomb chain.lmp --special-bonds 0,2,0
expect 2 '1 length of the cell are given, and 3 axes are periodic' -- coulomb four.csv --periodic xyz --cell 1
expect 2 'surface needs three periodic axes' -- coulomb four.csv --surface 80
expect 2 'write tinfoil, vacuum, or a dielectric constant above 0' -- coulomb four.csv --surface -2
expect 2 '--dipole is for --surface' -- coulomb four.csv --dipole 1,2,3
expect 2 'lie in one plane' -- coulomb four.csv --periodic xyz --cell 1,0,0,2,0,0,0,0,1
expect 2 'no finite number' -- coulomb four.csv --periodic xyz --cell 1,nan,1
expect 3 'add up to 0.5; with 2 periodic axes' -- coulomb <(sed 's/-.5$/0/' four.csv) --periodic xy --cell 1,1
expect 2 'background' -- coulomb four.csv --background ignore
finish
