"""Farfield inside other packages: rebound, pynbody and bempp. Each module imports its host when it is called."""
