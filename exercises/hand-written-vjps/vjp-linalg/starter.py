import numpy as np


def inv_vjp(g: np.ndarray, a: np.ndarray) -> tuple[np.ndarray]:
    """(da,) for np.linalg.inv(a) and the upstream gradient g, shaped like the result."""
    raise NotImplementedError("your part")


def logabsdet_vjp(g: np.ndarray, a: np.ndarray) -> tuple[np.ndarray]:
    """(da,) for log |det a|. There is one upstream gradient for each matrix."""
    raise NotImplementedError("your part")


def cholesky_vjp(g: np.ndarray, a: np.ndarray) -> tuple[np.ndarray]:
    """(da,) for np.linalg.cholesky(a). The gradient is symmetric."""
    raise NotImplementedError("your part")


def solve_vjp(g: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(da, db) for np.linalg.solve(a, b), where b has at least two axes."""
    raise NotImplementedError("your part")
