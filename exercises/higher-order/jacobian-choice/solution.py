"""One unit vector per column in forward mode, one per row in reverse mode."""

from collections.abc import Callable

import numpy as np

Product = Callable[[np.ndarray], np.ndarray]


def choose(n_in: int, n_out: int) -> str:
    return "forward" if n_in < n_out else "reverse"


def jacobian(jvp: Product, vjp: Product, n_in: int, n_out: int) -> np.ndarray:
    result = np.zeros((n_out, n_in))
    if choose(n_in, n_out) == "forward":
        for column, unit in enumerate(np.eye(n_in)):
            result[:, column] = jvp(unit)
    else:
        for row, unit in enumerate(np.eye(n_out)):
            result[row] = vjp(unit)
    return result
