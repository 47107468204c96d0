"""Crystals and small systems with their energies, to the digits that two Ewald splits agree in."""
import numpy as np

sheet = [[1, 0, 0], [-0.5, np.sqrt(3) / 2, 0]]
face_centred = np.array([[0, 0, 0], [0, .5, .5], [.5, 0, .5], [.5, .5, 0]])
corners = np.array([[x, y, z] for x in (.25, .75) for y in (.25, .75) for z in (.25, .75)])

# places and charges in a cube of edge 1, formula units, the length of the constant, the constant
crystals = {
    "NaCl": (np.concatenate([face_centred, face_centred + .5]), [1] * 4 + [-1] * 4, 4, .5, -1.747564594633182),
    "CsCl": (np.array([[0, 0, 0], [.5, .5, .5]]), [1, -1], 1, np.sqrt(3) / 2, -1.762674773070988),
    "zincblende": (np.concatenate([face_centred, face_centred + .25]), [1] * 4 + [-1] * 4, 4, np.sqrt(3) / 4,
                   -1.638055053388789),
    "fluorite": (np.concatenate([face_centred, corners]), [2] * 4 + [-1] * 8, 4, 1, -11.6365752270768),
}

four = np.array([[.1, .2, .3], [.45, .75, .15], [.8, .35, .6], [.25, .5, .85]])
neutral, charged = [1, -2, 1.5, -.5], [1, -2, 1.5, .5]

# cell, pbc, energy of the neutral charges, of the charged ones
cells = {
    "cube": ([1, 1, 1], True, -7.432377394252, -8.0910578333534),
    "long 8": ([1, 1, 8], True, -6.5735951001917, -0.26529618177483),
    "long 20": ([1, 1, 20], True, -6.4672718238217, 6.3992981085046),
    "flat": ([8, 8, 1], True, -4.8712138863285, -4.7836023660985),
    "triclinic": ([[1, 0, 0], [.3, 1.1, 0], [-.4, .25, .9]], True, -8.031924154012, -7.7044136186146),
    "hexagonal": ([*sheet, [0, 0, 1.633]], True, -8.8121150583802, -7.4757522267951),
    "two axes": ([1, 1, 1], [True, True, False], -6.396389639575, None),
    "two axes, hexagonal": ([*sheet, [0, 0, 0]], [True, True, False], -7.81166859328, None),
    "one axis": ([1, 1, 1], [False, False, True], -4.81619010556, None),
    "open": (None, None, -6.046859357648, None),
}
