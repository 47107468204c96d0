"""Two molecules of water in a periodic cube: nm, elementary charges, kJ/mol."""
import farfield as ff

x = [[0.10, 0.10, 0.10], [0.20, 0.10, 0.10], [0.07, 0.19, 0.10],  # O H H
     [0.45, 0.10, 0.15], [0.50, 0.18, 0.15], [0.50, 0.02, 0.15]]  # O H H
q = [-0.82, 0.41, 0.41] * 2
bonds = [[0, 1], [0, 2], [3, 4], [3, 5]]
sums = ff.coulomb(x, q, cell=[1, 1, 1], exclusions=ff.exclusions_of_bonds(6, bonds), tolerance=1e-8, virial=True,
                  coulomb_constant=138.93545764438198)
print("energy {:.6f} kJ/mol, force on the first atom {:.4f} {:.4f} {:.4f}, trace of the virial {:.6f}".format(
    sums.energy, *sums.forces[0], sums.virial.trace()))
