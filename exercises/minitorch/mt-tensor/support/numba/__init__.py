"""Course files import numba. Here its decorators return the function as it is."""

from . import cuda

prange = range


def njit(*functions, **options):
    return functions[0] if functions and callable(functions[0]) else lambda function: function


jit = njit
