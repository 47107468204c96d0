"""Farfield inside other packages: rebound, pynbody, bempp, ASE and OpenMM. Each module imports its host when it is called."""
