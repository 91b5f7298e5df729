import numpy as np


def factor(mask: np.ndarray, p: float) -> np.ndarray:
    return mask / (1 - p) if p < 1 else np.zeros(mask.shape)


def dropout(x: np.ndarray, mask: np.ndarray, *, p: float) -> np.ndarray:
    return x * factor(mask, p)


def dropout_vjp(g: np.ndarray, x: np.ndarray, mask: np.ndarray, *, p: float) -> tuple[np.ndarray]:
    return (g * factor(mask, p),)


class Dropout:
    def __init__(self, p: float, rng: np.random.Generator, shared: tuple[int, ...] = ()) -> None:
        self.p, self.rng, self.shared = p, rng, shared

    def forward(self, x: np.ndarray, training: bool = True) -> np.ndarray:
        self.factor = np.ones(())
        if training:
            shape = [1 if axis in self.shared else size for axis, size in enumerate(x.shape)]
            self.factor = factor(self.rng.random(shape) >= self.p, self.p)
        return x * self.factor

    def backward(self, g: np.ndarray) -> np.ndarray:
        return g * self.factor


def dropconnect(x: np.ndarray, w: np.ndarray, b: np.ndarray, mask: np.ndarray, *, p: float) -> np.ndarray:
    return x @ dropout(w, mask, p=p) + b


def dropconnect_vjp(
    g: np.ndarray, x: np.ndarray, w: np.ndarray, b: np.ndarray, mask: np.ndarray, *, p: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    gradients = []
    inputs = [np.array(values) for values in (x, w, b)]
    below = dropconnect(*inputs, mask, p=p)
    for values in inputs:
        gradient = np.zeros(values.shape)
        for place in np.ndindex(values.shape):
            own = values[place]
            values[place] = own + 1.0
            gradient[place] = (g * (dropconnect(*inputs, mask, p=p) - below)).sum()
            values[place] = own
        gradients.append(gradient)
    return tuple(gradients)
