"""Bodies in files, made on the spot, drawn, and in motion."""

from .files import Bodies, generate, generator_kinds, input_formats, read, read_points, write
from .motion import History, Simulation, simulate
from .picture import draw

__all__ = ["Bodies", "History", "Simulation", "draw", "generate", "generator_kinds", "input_formats", "read",
           "read_points", "simulate", "write"]
