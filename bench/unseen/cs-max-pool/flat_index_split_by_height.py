# Held out. Mistake: the flat argmax of a window is split into row and column with the window's height instead of its width, so dx goes to the wrong entry when windows are not square.
# True: position-in-another-array
import numpy as np


def max_pool_forward_naive(x, pool_param):
    kh, kw, s = pool_param["pool_height"], pool_param["pool_width"], pool_param["stride"]
    N, C, H, W = x.shape
    Ho, Wo = 1 + (H - kh) // s, 1 + (W - kw) // s
    out = np.zeros((N, C, Ho, Wo))
    winner = np.zeros((N, C, Ho, Wo), dtype=int)
    for i in range(Ho):
        for j in range(Wo):
            win = x[:, :, i * s:i * s + kh, j * s:j * s + kw].reshape(N, C, kh * kw)
            out[:, :, i, j] = win.max(axis=2)
            winner[:, :, i, j] = win.argmax(axis=2)
    return out, (x.shape, winner, pool_param)


def max_pool_backward_naive(dout, cache):
    shape, winner, pool_param = cache
    kh, s = pool_param["pool_height"], pool_param["stride"]
    dx = np.zeros(shape)
    N, C, Ho, Wo = dout.shape
    for n in range(N):
        for c in range(C):
            for i in range(Ho):
                for j in range(Wo):
                    row, col = divmod(winner[n, c, i, j], kh)
                    dx[n, c, i * s + row, j * s + col] += dout[n, c, i, j]
    return dx
