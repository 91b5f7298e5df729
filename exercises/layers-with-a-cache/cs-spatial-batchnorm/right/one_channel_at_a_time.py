"""One channel at a time."""

import numpy as np


def one_channel(x, gamma, beta, r_mean, r_var, bn_param):
    """Returns the output, the two averages, and what the gradient needs."""
    e, keep = bn_param.get("eps", 1e-5), bn_param.get("momentum", 0.9)
    if bn_param["mode"] == "test":
        return gamma * (x - r_mean) / (r_var + e) ** 0.5 + beta, r_mean, r_var, None
    centred = x - x.mean()
    var = (centred**2).mean()
    root = (var + e) ** 0.5
    out = gamma * centred / root + beta
    return out, keep * r_mean + (1 - keep) * x.mean(), keep * r_var + (1 - keep) * var, (centred / root, gamma / root)


def spatial_batchnorm_forward(x, gamma, beta, bn_param):
    zeros = np.zeros(x.shape[1])
    averages = zip(bn_param.get("running_mean", zeros), bn_param.get("running_var", zeros))
    parts = [one_channel(x[:, c], gamma[c], beta[c], m, v, bn_param) for c, (m, v) in enumerate(averages)]
    outs, means, variances, cache = zip(*parts)
    bn_param["running_mean"], bn_param["running_var"] = np.array(means), np.array(variances)
    return np.stack(outs, axis=1), cache


def spatial_batchnorm_backward(dout, cache):
    dx, dgamma = np.zeros(dout.shape), []
    for c, (hat, slope) in enumerate(cache):
        d = dout[:, c]
        dgamma.append(np.sum(d * hat))
        dx[:, c] = slope * (d - d.mean() - hat * np.mean(d * hat))
    return dx, np.array(dgamma), np.einsum("nchw->c", dout)
