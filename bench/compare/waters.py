#!/usr/bin/env python3
"""Large systems of SPC water made of one small box of it, GROMACS' spc216.gro: full, long, flat, and mostly empty cells.

Each is a unit cell and how often it is repeated along its three edges, so that forces need be computed in the unit alone.

    waters.py spc216.gro FOLDER slab droplet aerosol     # FOLDER/slab.water ..., which build/gpu/bench/gpu_periodic reads
"""
import gzip
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

charges_of_water = (-0.82, 0.41, 0.41)
#: nm: all coordinates are whole multiples of it, so that up to 128 nm single precision rounds none. Where it does, at 20 nm
#: by 1e-6 nm, forces of neighbours change by 1e-5, and codes in single would be compared by what they are given.
step = 2.0**-17


@dataclass
class Water:
    """positions of the unit (n, 3), molecules whole, oxygen first; lengths of the unit's edges (3,); copies along each."""

    positions: np.ndarray
    lengths: np.ndarray
    copies: tuple = (1, 1, 1)

    def whole(self):
        """The repeated cell: all positions, copy by copy, and its lengths."""
        return repeated(self.positions, self.lengths, self.copies), self.lengths * self.copies

    @property
    def count(self):
        return len(self.positions) * int(np.prod(self.copies))


def read_gro(path):
    """Positions and lengths in nm."""
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)
    with opened as file:
        lines = file.read().splitlines()
    n = int(lines[1])
    positions = np.array([[float(line[20 + 8 * a:28 + 8 * a]) for a in range(3)] for line in lines[2:2 + n]])
    return on_grid(positions), on_grid(np.array([float(word) for word in lines[2 + n].split()[:3]]))


def on_grid(coordinates):
    return np.rint(coordinates / step) * step


def repeated(positions, lengths, copies):
    shifts = np.stack(np.meshgrid(*map(np.arange, copies), indexing="ij"), axis=-1).reshape(-1, 3) * lengths
    return (shifts[:, None] + positions).reshape(-1, 3)


def charges(count):
    return np.tile(charges_of_water, count // 3)


def bonded(count):
    """All pairs within molecules, (count, 2)."""
    first = np.arange(0, count, 3)[:, None]
    return (first[:, :, None] + np.array([[0, 1], [0, 2], [1, 2]])).reshape(-1, 2)


def ball(positions, lengths, radius):
    """Molecules whose oxygen is within `radius` of the middle of enough copies, about that middle."""
    count = int(np.ceil(2 * radius / lengths.min())) + 1
    many = repeated(positions, lengths, 3 * (count,)) - 0.5 * count * lengths
    molecules = many.reshape(-1, 3, 3)
    return molecules[(molecules[:, 0] ** 2).sum(axis=1) < radius**2].reshape(-1, 3)


def droplet(positions, lengths, radius):
    """One drop in the middle of a cube of twice its diameter: 6.5 per cent of it are full."""
    return Water(on_grid(ball(positions, lengths, radius) + 2 * radius), on_grid(np.full(3, 4 * radius)))


def aerosol(positions, lengths, edge, drops, radius, copies):
    """drops^3 drops in a cube, each at random in its own part of it, turned by chance; seed 1."""
    random = np.random.default_rng(1)
    one, part = ball(positions, lengths, radius), edge / drops
    corners = np.stack(np.meshgrid(*3 * [np.arange(drops)], indexing="ij"), axis=-1).reshape(-1, 3) * part
    places = []
    for corner in corners:
        turn, upper = np.linalg.qr(random.normal(size=(3, 3)))
        room = part - 2 * radius - 0.4  # drops stay 0.2 nm within their parts
        places.append(one @ (turn * np.sign(np.diag(upper))) + corner + 0.5 * part + room * (random.random(3) - 0.5))
    return Water(on_grid(np.concatenate(places)), on_grid(np.full(3, edge)), copies)


def systems(path):
    """By name: a function that makes it."""
    x, box = read_gro(path)
    stacked = repeated(x, box, (1, 1, 12))
    return {
        "box 648": lambda: Water(x, box),
        "box 5184": lambda: Water(x, box, (2, 2, 2)),
        "box 81000": lambda: Water(x, box, (5, 5, 5)),
        "box 1119744": lambda: Water(x, box, (12, 12, 12)),
        "1:1:10": lambda: Water(x, box, (5, 5, 50)),
        "slab": lambda: Water(stacked, box * (1, 1, 48), (12, 12, 1)),
        "droplet": lambda: droplet(x, box, 13.4),
        "aerosol": lambda: aerosol(x, box, 15.0, 3, 1.2, (4, 4, 4)),
        "coarse aerosol": lambda: aerosol(x, box, 30.0, 2, 3.4, (2, 2, 2)),
        "small droplet": lambda: droplet(x, box, 1.5),
        "small slab": lambda: Water(repeated(x, box, (1, 1, 2)), box * (1, 1, 8)),
    }


def write(water, path):
    """Raw doubles: lengths of the cell, then x y z and charge of each atom."""
    positions, lengths = water.whole()
    np.concatenate([lengths, np.column_stack([positions, charges(len(positions))]).ravel()]).tofile(path)


def main():
    if len(sys.argv) < 4:
        sys.exit("waters.py spc216.gro FOLDER SYSTEM ...")
    gro, folder, *names = sys.argv[1:]
    known = systems(gro)
    for name in names:
        if name not in known:
            sys.exit(f"there is no system {name}; there are {', '.join(known)}")
        water = known[name]()
        path = Path(folder, f"{name}.water")
        write(water, path)
        print(f"{path}: {water.count} atoms, {' x '.join(f'{length:.3f}' for length in water.lengths * water.copies)} nm")


if __name__ == "__main__":
    main()
