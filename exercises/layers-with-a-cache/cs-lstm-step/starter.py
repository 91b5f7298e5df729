import numpy as np


def lstm_step_forward(x, prev_h, prev_c, Wx, Wh, b):
    """One step of an LSTM: inputs x (N, D), previous hidden state prev_h (N, H) and cell state prev_c (N, H).

    Wx is (D, 4H), Wh is (H, 4H) and b is (4H,), with the gates in the order i, f, o, g.
    Returns (next_h, next_c, cache), where next_h and next_c have shape (N, H).
    """
    raise NotImplementedError("your part")


def lstm_step_backward(dnext_h, dnext_c, cache):
    """(dx, dprev_h, dprev_c, dWx, dWh, db) for the upstream gradients dnext_h and dnext_c of shape (N, H)."""
    raise NotImplementedError("your part")
