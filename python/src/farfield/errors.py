"""What goes wrong: one sentence each, with the code of farfield::ErrorCode and of the command's exit status."""

from __future__ import annotations


class Error(Exception):
    """Base of all that Farfield raises; `code` is the number of docs/errors.md."""

    code: int = 1


class UsageError(Error, ValueError):
    """An option is wrong or cannot be honoured."""

    code = 2


class InputError(Error, ValueError):
    """Points, strengths or a file are malformed."""

    code = 3


class DeviceError(Error, RuntimeError):
    """The backend asked for is missing or failed."""

    code = 4


class OutOfMemoryError(Error, MemoryError):
    """Not enough memory."""

    code = 5


class OutputError(Error, OSError):
    """A result could not be written."""

    code = 6


class InternalError(Error, RuntimeError):
    """A broken invariant of the library: please report it."""

    code = 7
