#!/usr/bin/env python3
"""How far the total energy of rigid water drifts, from a file of `openmm_nve.py csv`: a figure, and a line for each run.

    nve_figure.py nve.csv nve.png [molecules, without which there are 216]

The file has times in ps, and in a column for each sum the energy in kJ/mol less that of the start.
"""
import csv
import sys

import numpy as np

KT = 0.00831446261815324 * 300  # kJ/mol
BLOCKS = 40


def slope(ns, energies):
    """Of a straight line through means of forty blocks, which hardly depend on one another, and its standard error."""
    times, means = (np.array([block.mean() for block in np.array_split(values, BLOCKS)]) for values in (ns, energies))
    line = np.polyfit(times, means, 1)
    rest, apart = means - np.polyval(line, times), times - times.mean()
    return line[0], np.sqrt((rest @ rest) / (BLOCKS - 2) / (apart @ apart))


def freedom(molecules):
    """Degrees of it: rigid ones have six each, and the momentum of all is conserved."""
    return 6 * molecules - 3


def drift(ps, energies, molecules=216):
    """kT/ns per degree of freedom, and its standard error."""
    return np.array(slope(1e-3 * np.asarray(ps), np.asarray(energies))) / KT / freedom(molecules)


def read(path):
    """Times, and a column for each sum."""
    with open(path) as file:
        names, *rows = csv.reader(file)
    numbers = np.array([[float(word) if word else np.nan for word in row] for row in rows])
    return numbers[:, 0], dict(zip(names[1:], numbers[:, 1:].T))


def draw_run(axes, ps, name, energies, colour, molecules):
    found, error = drift(ps, energies, molecules)
    axes.plot(ps, energies / KT, color=colour, lw=0.6, alpha=0.3)
    means = ([block.mean() for block in np.array_split(values, BLOCKS)] for values in (ps, energies / KT))
    axes.plot(*means, color=colour, lw=1.8, label=f"{name}: {1e3 * found:.2f} ± {1e3 * error:.2f}")


def draw(ps, runs, path, molecules):
    """Two runs in each panel, whose errors of forces are alike."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    runs = list(runs.items())
    panels = len(runs) // 2
    figure, all_axes = plt.subplots(panels, figsize=(8, 3.2 * panels), layout="constrained", sharex=True, squeeze=False)
    for k, axes in enumerate(all_axes[:, 0]):
        for name, energies in runs[2 * k:2 * k + 2]:
            there = ~np.isnan(energies)
            colour = "#d03020" if name.startswith("Farfield") else "#4477aa"
            draw_run(axes, ps[there], name, energies[there], colour, molecules)
        axes.set(ylabel="total energy less its start, kT", ylim=(-1, 1.8) if molecules == 216 else (-20, 70))
        axes.legend(frameon=False, title="drift in 10⁻³ kT/ns per degree of freedom", loc="upper left")
    axes.set(xlabel="time, ps; thick: means of forty parts of the run")
    figure.savefig(path, dpi=100)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("nve_figure.py nve.csv nve.png [molecules]")
    molecules = int(sys.argv[3]) if len(sys.argv) == 4 else 216
    ps, runs = read(sys.argv[1])
    for name, energies in runs.items():
        there = ~np.isnan(energies)
        found, error = drift(ps[there], energies[there], molecules)
        per_atom = KT * freedom(molecules) / (3 * molecules)
        print(f"{name}: {ps[there][-1]:g} ps, {found:.5f} ± {error:.5f} kT/ns per degree of freedom, "
              f"{found * per_atom:.4f} ± {error * per_atom:.4f} kJ/mol/ns/atom, spread {np.std(energies[there]) / KT:.3f} kT")
    draw(ps, runs, sys.argv[2], molecules)


if __name__ == "__main__":
    main()
