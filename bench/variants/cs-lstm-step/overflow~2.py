"""tanh from one exponential, which is inf for a large pre-activation."""

import numpy as np


def tanh(z):
    grown = np.exp(2 * z)
    return (grown - 1) / (grown + 1)


def squash(z):
    return 0.5 + 0.5 * tanh(0.5 * z)


def lstm_step_forward(x, prev_h, prev_c, Wx, Wh, b):
    rows = np.hstack([x, prev_h])
    weights = np.vstack([Wx, Wh])
    into, forget, out, new = np.split(rows @ weights + b, 4, axis=-1)
    into, forget, out, new = squash(into), squash(forget), squash(out), tanh(new)
    cell = prev_c * forget + new * into
    shown = np.tanh(cell)
    cache = {"rows": rows, "weights": weights, "prev_c": prev_c, "D": x.shape[1]}
    cache.update(into=into, forget=forget, out=out, new=new, shown=shown)
    return shown * out, cell, cache


def lstm_step_backward(dnext_h, dnext_c, cache):
    into, forget, out = cache["into"], cache["forget"], cache["out"]
    new, shown, D = cache["new"], cache["shown"], cache["D"]
    dcell = dnext_h * out * (1 - shown * shown)
    dcell = dcell + dnext_c
    dinto = dcell * new * (into - into * into)
    dforget = dcell * cache["prev_c"] * (forget - forget * forget)
    dout = dnext_h * shown * (out - out * out)
    dnew = dcell * into * (1 - new * new)
    delta = np.hstack([dinto, dforget, dout, dnew])
    back = delta @ cache["weights"].T
    dweights = cache["rows"].T @ delta
    return back[:, :D], back[:, D:], dcell * forget, dweights[:D], dweights[D:], delta.sum(0)
