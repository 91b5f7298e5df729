"""The rest of the sequence by recursion. Every gate has its own blocks of the weights."""

import numpy as np

NAMES = ("input", "forget", "new", "output")


def sigmoid(a):
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-a))


def blocks(w):
    return dict(zip(NAMES, np.split(w, 4, axis=-1)))


def activations(x, h, wx, wh, b):
    wx, wh, b = blocks(wx), blocks(wh), blocks(b)
    sums = {name: x @ wx[name] + h @ wh[name] + b[name] for name in NAMES}
    return {name: np.tanh(a) if name == "new" else sigmoid(a) for name, a in sums.items()}


def lstm_step(x, h, c, wx, wh, b):
    gate = activations(x, h, wx, wh, b)
    cell = gate["forget"] * c + gate["input"] * gate["new"]
    return gate["output"] * np.tanh(cell), cell


def lstm_step_vjp(gh, gc, x, h, c, wx, wh, b):
    gate = activations(x, h, wx, wh, b)
    cell = gate["forget"] * c + gate["input"] * gate["new"]
    of_cell = gc + gh * gate["output"] / np.cosh(np.minimum(np.abs(cell), 300)) ** 2
    of_gate = {"input": of_cell * gate["new"], "forget": of_cell * c, "new": of_cell * gate["input"]}
    of_gate["output"] = gh * np.tanh(cell)
    dx, dh = np.zeros(x.shape), np.zeros(h.shape)
    dwx, dwh, db = [], [], []
    for name in NAMES:
        y = gate[name]
        da = of_gate[name] * ((1 + y) * (1 - y) if name == "new" else y - y * y)
        dx += np.einsum("nj,dj->nd", da, blocks(wx)[name])
        dh += np.einsum("nj,ij->ni", da, blocks(wh)[name])
        dwx.append(np.einsum("nd,nj->dj", x, da))
        dwh.append(np.einsum("ni,nj->ij", h, da))
        db.append(np.einsum("nj->j", da))
    return dx, dh, gate["forget"] * of_cell, np.hstack(dwx), np.hstack(dwh), np.hstack(db)


def lstm(x, h0, c0, wx, wh, b):
    if not len(x):
        return np.empty((0, *h0.shape)), c0.copy()
    h1, c1 = lstm_step(x[0], h0, c0, wx, wh, b)
    later, last = lstm(x[1:], h1, c1, wx, wh, b)
    return np.vstack([h1[None], later]), last


def lstm_vjp(g, gc, x, h0, c0, wx, wh, b):
    if not len(x):
        return np.zeros_like(x), np.zeros_like(h0), gc + 0.0, np.zeros_like(wx), np.zeros_like(wh), np.zeros_like(b)
    h1, c1 = lstm_step(x[0], h0, c0, wx, wh, b)
    dx, dh1, dc1, *later = lstm_vjp(g[1:], gc, x[1:], h1, c1, wx, wh, b)
    dx0, dh0, dc0, *own = lstm_step_vjp(g[0] + dh1, dc1, x[0], h0, c0, wx, wh, b)
    return np.vstack([dx0[None], dx]), dh0, dc0, *(one + other for one, other in zip(own, later))
