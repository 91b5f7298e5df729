import numpy as np


def by_steps(upstream, forward, inputs):
    """A complex step in one entry after the other."""
    gradients = []
    inputs = [values.astype(complex) for values in inputs]
    for values in inputs:
        gradient = np.zeros(values.shape)
        for place in np.ndindex(values.shape):
            values[place] += 1e-30j
            gradient[place] = (upstream * forward(*inputs).imag).sum() / 1e-30
            values[place] = values[place].real
        gradients.append(gradient)
    return tuple(gradients)


def value(x, gamma, beta, eps):
    centred = x - x.mean(axis=0)
    return gamma * centred / np.sqrt((centred * centred).mean(axis=0) + eps) + beta


def batchnorm_forward(x, gamma, beta, bn_param):
    eps = bn_param.get("eps", 1e-5)
    if bn_param["mode"] != "train":
        return gamma * (x - bn_param["running_mean"]) / np.sqrt(bn_param["running_var"] + eps) + beta, None
    momentum = bn_param.get("momentum", 0.9)
    for name, of_batch in (("running_mean", x.mean(axis=0)), ("running_var", x.var(axis=0))):
        bn_param[name] = momentum * bn_param.get(name, 0.0) + (1 - momentum) * of_batch
    return value(x, gamma, beta, eps), (x, gamma, beta, eps)


def batchnorm_backward(dout, cache):
    *inputs, eps = cache
    return by_steps(dout, lambda *values: value(*values, eps), inputs)
