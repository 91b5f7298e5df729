"""Each output is a dot product of a window and a filter; on the way back, each sends the other one its share."""

from typing import Any

import numpy as np


def conv_forward_naive(
    x: np.ndarray, w: np.ndarray, b: np.ndarray, conv_param: dict[str, Any]
) -> tuple[np.ndarray, Any]:
    stride, pad = conv_param["stride"], conv_param["pad"]
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    height = (padded.shape[2] - w.shape[2]) // stride + 1
    width = (padded.shape[3] - w.shape[3]) // stride + 1
    out = np.zeros((x.shape[0], w.shape[0], height, width))
    for n, f, i, j in np.ndindex(out.shape):
        window = padded[n, :, i * stride : i * stride + w.shape[2], j * stride : j * stride + w.shape[3]]
        out[n, f, i, j] = (window * w[f]).sum() + b[f]
    return out, (padded, w, stride, pad)


def conv_backward_naive(dout: np.ndarray, cache: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    padded, w, stride, pad = cache
    dpadded, dw = np.zeros(padded.shape), np.zeros(w.shape)
    for n, f, i, j in np.ndindex(dout.shape):
        window = n, slice(None), slice(i * stride, i * stride + w.shape[2]), slice(j * stride, j * stride + w.shape[3])
        dpadded[window] += dout[n, f, i, j] * w[f]
        dw[f] += dout[n, f, i, j] * padded[window]
    dx = dpadded[:, :, pad : dpadded.shape[2] - pad, pad : dpadded.shape[3] - pad]
    return dx, dw, dout.sum(axis=(0, 2, 3))
