"""Farfield inside other packages: rebound, pynbody, bempp and ASE. Each module imports its host when it is called."""
