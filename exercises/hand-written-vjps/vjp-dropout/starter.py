import numpy as np


def dropout(x: np.ndarray, mask: np.ndarray, *, p: float) -> np.ndarray:
    """Inverted dropout with a given mask, which is True where an entry is kept."""
    raise NotImplementedError("your part")


def dropout_vjp(g: np.ndarray, x: np.ndarray, mask: np.ndarray, *, p: float) -> tuple[np.ndarray]:
    """(dx,), given the upstream gradient g of dropout."""
    raise NotImplementedError("your part")


class Dropout:
    """A layer that draws its masks, and keeps the one that its backward pass needs."""

    def __init__(self, p: float, rng: np.random.Generator, shared: tuple[int, ...] = ()) -> None:
        raise NotImplementedError("your part")

    def forward(self, x: np.ndarray, training: bool = True) -> np.ndarray:
        raise NotImplementedError("your part")

    def backward(self, g: np.ndarray) -> np.ndarray:
        """The gradient with respect to the x of the latest forward pass."""
        raise NotImplementedError("your part")


def dropconnect(x: np.ndarray, w: np.ndarray, b: np.ndarray, mask: np.ndarray, *, p: float) -> np.ndarray:
    """A linear layer with dropped weights."""
    raise NotImplementedError("your part")


def dropconnect_vjp(
    g: np.ndarray, x: np.ndarray, w: np.ndarray, b: np.ndarray, mask: np.ndarray, *, p: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(dx, dw, db), given the upstream gradient g of dropconnect."""
    raise NotImplementedError("your part")
