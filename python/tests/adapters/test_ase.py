"""Farfield as a calculator of ASE."""
import numpy as np
import pytest

import farfield as ff
from farfield.adapters.ase import calculator

ase = pytest.importorskip("ase", reason="ase is not installed")
pytest.importorskip("ase.build", reason="ase is not installed")
constant = 14.39964548


def salt(length=5.64):
    atoms = ase.build.bulk("NaCl", "rocksalt", a=length, cubic=True)
    atoms.set_initial_charges([1 if symbol == "Na" else -1 for symbol in atoms.get_chemical_symbols()])
    atoms.calc = calculator(tolerance=1e-9)
    return atoms


def test_salt():
    atoms = salt()
    assert atoms.get_potential_energy() == pytest.approx(-1.747564594633182 * 4 * constant / 2.82, rel=1e-7)
    assert atoms.get_potential_energy(force_consistent=True) == atoms.get_potential_energy()
    assert np.abs(atoms.get_forces()).max() < 1e-7
    assert atoms.get_potential_energies().sum() == pytest.approx(atoms.get_potential_energy())
    assert atoms.calc.sums.report.tolerance == 1e-9


def test_changes():
    """Each change is seen: positions, cell, charges, pbc."""
    atoms = salt()
    plain = atoms.get_potential_energy()
    atoms.rattle(0.1, seed=1)
    moved = atoms.get_potential_energy()
    assert moved != pytest.approx(plain, rel=1e-4) and np.abs(atoms.get_forces()).max() > 0.01
    atoms.set_cell(1.1 * atoms.cell, scale_atoms=True)
    assert atoms.get_potential_energy() == pytest.approx(moved / 1.1, rel=1e-8)
    atoms.set_initial_charges(2 * atoms.get_initial_charges())
    assert atoms.get_potential_energy() == pytest.approx(4 * moved / 1.1, rel=1e-8)
    atoms.pbc = [True, True, False]
    slab = ff.coulomb(atoms.positions, atoms.get_initial_charges(), cell=np.asarray(atoms.cell), pbc=[True, True, False],
                      coulomb_constant=constant, tolerance=1e-9)
    assert atoms.get_potential_energy() == pytest.approx(slab.energy, rel=1e-7)
    atoms.pbc = False
    assert atoms.get_potential_energy() != pytest.approx(slab.energy, rel=1e-7)


def test_forces_are_derivatives():
    atoms = salt()
    atoms.rattle(0.2, seed=3)
    forces, step, energies = atoms.get_forces().copy(), 1e-3, []
    for shift in (step, -2 * step):
        atoms.positions[3, 1] += shift
        energies.append(atoms.get_potential_energy())
    assert forces[3, 1] == pytest.approx((energies[1] - energies[0]) / (2 * step), rel=1e-5)


@pytest.mark.parametrize("pbc", [True, [True, True, False]])
def test_stress_is_a_derivative(pbc):
    """By strains of fourth order, of cell and positions."""
    atoms = salt()
    atoms.rattle(0.2, seed=4)
    atoms.pbc = pbc
    atoms.calc = calculator(tolerance=1e-11)
    energy, stress = atoms.get_potential_energy(), atoms.get_stress()
    assert atoms.calc.sums.virial.trace() == pytest.approx(energy, rel=1e-9)
    cell, places, step = np.array(atoms.cell), atoms.positions.copy(), 1e-3
    for part, (a, b) in enumerate([(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]):
        slope = 0
        for times, weight in ((-2, 1), (-1, -8), (1, 8), (2, -1)):
            strain = np.eye(3)
            strain[a, b] += times * step / 2
            strain[b, a] += times * step / 2
            atoms.set_cell(cell @ strain)
            atoms.positions = places @ strain
            slope += weight * atoms.get_potential_energy() / (12 * step)
        assert stress[part] == pytest.approx(slope / abs(np.linalg.det(cell)), abs=1e-9)
    assert atoms.get_stress(voigt=False).shape == (3, 3)


def test_no_stress_without_a_volume():
    atoms = ase.Atoms("HF", [[0, 0, 0], [0, 0, 1]])
    atoms.set_initial_charges([1, -1])
    atoms.calc = calculator()
    assert atoms.get_potential_energy() < 0
    with pytest.raises(Exception, match="no cell with a volume"):
        atoms.get_stress()
    assert atoms.get_potential_energy() < 0


def test_exclusions():
    """A molecule in open space, all of whose pairs bonds leave out."""
    atoms = ase.Atoms("H2O", [[0, 0.76, 0.59], [0, -0.76, 0.59], [0, 0, 0]])
    atoms.set_initial_charges([0.41, 0.41, -0.82])
    atoms.calc = calculator(exclusions=[[0, 1], [0, 2], [1, 2]])
    assert atoms.get_potential_energy() == pytest.approx(0, abs=1e-12)


def test_after_an_error():
    """A cell that was refused is not forgotten, nor the one before it kept."""
    atoms = salt()
    energy = atoms.get_potential_energy()
    atoms.set_cell([[1, 0, 0], [2, 0, 0], [0, 0, 1]])
    for _ in range(2):
        with pytest.raises(ff.UsageError, match="lie in one plane"):
            atoms.get_potential_energy()
    atoms.set_cell([5.64] * 3)
    assert atoms.get_potential_energy() == pytest.approx(energy, rel=1e-12)
