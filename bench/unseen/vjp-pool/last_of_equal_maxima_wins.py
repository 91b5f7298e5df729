# Held out. Mistake: while scanning a window, max_pool2d_vjp replaces the winner by a later entry that is equally large, so in a tie the last one gets the gradient.
# True: last-index-wins
import numpy as np


def _pad(x, padding, value):
    ph, pw = padding
    return np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)), constant_values=value)


def _size(n, k, s, p):
    return (n + 2 * p - k) // s + 1


def _cut(xp, a, b, oh, ow, stride):
    """What every window has at position (a, b) of the kernel: a view of the padded image."""
    sh, sw = stride
    return xp[:, :, a:a + sh * (oh - 1) + 1:sh, b:b + sw * (ow - 1) + 1:sw]


def _out(x, kernel, stride, padding):
    return [_size(n, k, s, p) for n, k, s, p in zip(x.shape[2:], kernel, stride, padding)]


def max_pool2d(x, *, kernel, stride, padding):
    oh, ow = _out(x, kernel, stride, padding)
    xp = _pad(x, padding, -np.inf)
    best = np.full(x.shape[:2] + (oh, ow), -np.inf)
    for a in range(kernel[0]):
        for b in range(kernel[1]):
            best = np.maximum(best, _cut(xp, a, b, oh, ow, stride))
    return best


def max_pool2d_vjp(g, x, *, kernel, stride, padding):
    oh, ow = _out(x, kernel, stride, padding)
    xp = _pad(x, padding, -np.inf)
    inside = _pad(np.ones(x.shape), padding, 0.0)
    best = np.full(g.shape, -np.inf)
    winner = np.full(g.shape, -1)
    for a in range(kernel[0]):
        for b in range(kernel[1]):
            v = _cut(xp, a, b, oh, ow, stride)
            ok = _cut(inside, a, b, oh, ow, stride) > 0
            better = ok & (v >= best)
            best = np.where(better, v, best)
            winner = np.where(better, a * kernel[1] + b, winner)
    dp = np.zeros(xp.shape)
    for a in range(kernel[0]):
        for b in range(kernel[1]):
            _cut(dp, a, b, oh, ow, stride)[...] += np.where(winner == a * kernel[1] + b, g, 0.0)
    (ph, pw), (h, w) = padding, x.shape[2:]
    return (dp[:, :, ph:ph + h, pw:pw + w].copy(),)


def _divisor(x, kernel, stride, padding, count_padding):
    if count_padding:
        return float(kernel[0] * kernel[1])
    oh, ow = _out(x, kernel, stride, padding)
    ones = _pad(np.ones((1, 1) + x.shape[2:]), padding, 0.0)
    return sum(_cut(ones, a, b, oh, ow, stride) for a in range(kernel[0]) for b in range(kernel[1]))


def avg_pool2d(x, *, kernel, stride, padding, count_padding=True):
    oh, ow = _out(x, kernel, stride, padding)
    xp = _pad(x, padding, 0.0)
    total = np.zeros(x.shape[:2] + (oh, ow))
    for a in range(kernel[0]):
        for b in range(kernel[1]):
            total += _cut(xp, a, b, oh, ow, stride)
    return total / _divisor(x, kernel, stride, padding, count_padding)


def avg_pool2d_vjp(g, x, *, kernel, stride, padding, count_padding=True):
    oh, ow = _out(x, kernel, stride, padding)
    share = g / _divisor(x, kernel, stride, padding, count_padding)
    (ph, pw), (h, w) = padding, x.shape[2:]
    dp = np.zeros(x.shape[:2] + (h + 2 * ph, w + 2 * pw))
    for a in range(kernel[0]):
        for b in range(kernel[1]):
            _cut(dp, a, b, oh, ow, stride)[...] += share
    return (dp[:, :, ph:ph + h, pw:pw + w].copy(),)
