import numpy as np

Pair = tuple[int, int]


def max_pool2d(x: np.ndarray, *, kernel: Pair, stride: Pair, padding: Pair) -> np.ndarray:
    """The largest entry of each window."""
    raise NotImplementedError("your part")


def max_pool2d_vjp(g: np.ndarray, x: np.ndarray, *, kernel: Pair, stride: Pair, padding: Pair) -> tuple[np.ndarray]:
    """(dx,), given the upstream gradient g of max_pool2d."""
    raise NotImplementedError("your part")


def avg_pool2d(
    x: np.ndarray, *, kernel: Pair, stride: Pair, padding: Pair, count_padding: bool = True
) -> np.ndarray:
    """The average of each window."""
    raise NotImplementedError("your part")


def avg_pool2d_vjp(
    g: np.ndarray, x: np.ndarray, *, kernel: Pair, stride: Pair, padding: Pair, count_padding: bool = True
) -> tuple[np.ndarray]:
    """(dx,), given the upstream gradient g of avg_pool2d."""
    raise NotImplementedError("your part")
