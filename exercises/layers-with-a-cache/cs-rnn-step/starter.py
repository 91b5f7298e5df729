import numpy as np


def rnn_step_forward(x, prev_h, Wx, Wh, b):
    """One step of a recurrent network with tanh: inputs x (N, D), previous state prev_h (N, H).

    Wx is (D, H), Wh is (H, H) and b is (H,). Returns (next_h, cache), where next_h has shape (N, H).
    """
    raise NotImplementedError("your part")


def rnn_step_backward(dnext_h, cache):
    """(dx, dprev_h, dWx, dWh, db) for the upstream gradient dnext_h of shape (N, H)."""
    raise NotImplementedError("your part")
