import numpy as np


def channel_mean(values: np.ndarray) -> np.ndarray:
    return values.mean(axis=(0, *range(2, values.ndim)), keepdims=True)


def channel_sum(values: np.ndarray) -> np.ndarray:
    return values.sum(axis=(0, *range(2, values.ndim)))


def like_channels(parameter: np.ndarray, x: np.ndarray) -> np.ndarray:
    """One number per channel, in a shape that broadcasts with x."""
    return parameter.reshape(-1, *[1] * (x.ndim - 2))


def batch_statistics(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    mean = channel_mean(x)
    return mean, channel_mean((x - mean) ** 2)


def batchnorm(
    x: np.ndarray,
    gamma: np.ndarray,
    beta: np.ndarray,
    running_mean: np.ndarray,
    running_var: np.ndarray,
    *,
    training: bool,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    mean, var = like_channels(running_mean, x), like_channels(running_var, x)
    if training:
        mean, var = batch_statistics(x)
        count = x.size / x.shape[1]
        unbiased = var.ravel() * count / (count - 1)
        running_mean = (1 - momentum) * running_mean + momentum * mean.ravel()
        running_var = (1 - momentum) * running_var + momentum * unbiased
    x_hat = (x - mean) / np.sqrt(var + eps)
    return x_hat * like_channels(gamma, x) + like_channels(beta, x), running_mean, running_var


def batchnorm_vjp(
    g: np.ndarray,
    x: np.ndarray,
    gamma: np.ndarray,
    beta: np.ndarray,
    running_mean: np.ndarray,
    running_var: np.ndarray,
    *,
    training: bool,
    eps: float = 1e-5,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    gradients = []
    inputs = [values.astype(complex) for values in (x, gamma, beta)]
    for values in inputs:
        gradient = np.zeros(values.shape)
        for place in np.ndindex(values.shape):
            values[place] += 1e-30j
            y, _, _ = batchnorm(*inputs, running_mean, running_var, training=training, eps=eps)
            gradient[place] = (g * y.imag).sum() / 1e-30
            values[place] = values[place].real
        gradients.append(gradient)
    return tuple(gradients)
