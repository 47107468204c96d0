"""The virial of farfield.coulomb: references, its trace, and differences of the energy by strain."""
import numpy as np
import pytest
import systems
from systems import charged, four, neutral

import farfield as ff

known = {
    "cube": [-2.58510301693, -4.12365961538, -0.723614761944, 0.232751970744, -0.334703846573, 0.902249067248],
    "triclinic": [-0.631858613578, -6.22861804911, -1.17144749133, -0.933244526167, -1.87439555924, 2.48944142123],
}


def six(matrix):
    return matrix[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]


def by_strain(places, charges, cell, pbc, dipole=None, **options):
    """(3, 3), by differences of fourth order."""
    rows, step, virial = np.diag(cell) if np.ndim(cell) == 1 else np.array(cell), 1e-3, np.zeros((3, 3))
    for a in range(3):
        for b in range(3):
            for times in (-2, -1, 1, 2):
                strain = np.eye(3)
                strain[a, b] += times * step / 2
                strain[b, a] += times * step / 2
                moved = None if dipole is None else dipole @ strain
                energy = ff.coulomb(places @ strain, charges, cell=rows @ strain, pbc=pbc, dipole=moved, tolerance=1e-12,
                                    **options).energy
                virial[a, b] -= energy * {-2: 1, -1: -8, 1: 8, 2: -1}[times] / (12 * step)
    return virial


@pytest.mark.parametrize("name", known)
def test_references(name):
    cell, pbc, *_ = systems.cells[name]
    found = ff.coulomb(four, neutral, cell=cell, pbc=pbc, tolerance=1e-11, virial=True)
    assert six(found.virial) == pytest.approx(known[name], rel=0, abs=5e-11)
    assert ff.coulomb(four, neutral, cell=cell, pbc=pbc).virial is None


@pytest.mark.parametrize("name", systems.cells)
def test_the_trace_is_the_energy(name):
    cell, pbc, *energies = systems.cells[name]
    for charges, energy in zip((neutral, charged), energies):
        if energy is None:
            continue
        for exclusions in (None, [[0, 3], [1, 2]]):
            found = ff.coulomb(four, charges, cell=cell, pbc=pbc, exclusions=exclusions, tolerance=1e-11, virial=True)
            assert np.trace(found.virial) == pytest.approx(found.energy, rel=0, abs=1e-9)
            assert np.array_equal(found.virial, found.virial.T)


@pytest.mark.parametrize("name", ["triclinic", "two axes, hexagonal", "one axis"])
def test_exclusions_by_strain(name):
    cell, pbc, *_ = systems.cells[name]
    rows = np.diag(cell) if np.ndim(cell) == 1 else np.array(cell, float)
    more = {"exclusions": ([0, 1, 2, 3, 4], [3, 2, 1, 0], [0.25, 0.5, 0.5, 0.25])}
    found = ff.coulomb(four, neutral, cell=rows, pbc=pbc, tolerance=1e-11, virial=True, coulomb_constant=14.4, **more)
    assert found.virial == pytest.approx(14.4 * by_strain(four, neutral, rows, pbc, **more), rel=0, abs=1e-6)


def test_surface_by_strain():
    cell, dipole = np.array(systems.cells["triclinic"][0]), np.array(neutral) @ four
    found = ff.coulomb(four, neutral, cell=cell, surface=3.0, dipole=dipole, tolerance=1e-11, virial=True)
    assert found.virial == pytest.approx(by_strain(four, neutral, cell, True, dipole, surface=3.0), rel=0, abs=1e-7)
    assert np.trace(found.virial) == pytest.approx(found.energy, rel=1e-9)


def test_of_plans(rng):
    """Several densities, results that are filled again, and what is refused."""
    places, charges = rng.random((50, 3)), np.array([np.tile([1.0, -1.0], 25), np.tile([2.0, -2.0], 25)])
    plan = ff.Plan(places, periodic="xyz", cell_x=1, cell_y=1, cell_z=1, virial=True, tolerance=1e-10)
    found = plan.evaluate(charges)
    assert found.virial.shape == (2, 6) and found.virial[1] == pytest.approx(4 * found.virial[0], rel=1e-8)
    assert found.virial[0, :3].sum() == pytest.approx(charges[0] @ found.potential[0] / 2, rel=1e-8)
    single = plan.evaluate(charges[0].astype(np.float32))
    assert single.virial.dtype == float and single.virial == pytest.approx(found.virial[0], rel=1e-6)
    assert plan.evaluate(charges, out=found) is found and found.virial.shape == (2, 6)
    open_ = ff.evaluate(places, charges[0], virial=True, tolerance=1e-10)
    assert open_.gradient is None and open_.virial[:3].sum() == pytest.approx(charges[0] @ open_.potential / 2, rel=1e-7)
    with pytest.raises(ff.UsageError, match="among each other"):
        ff.evaluate(places, charges[0], places, virial=True)
