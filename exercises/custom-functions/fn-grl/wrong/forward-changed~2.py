"""The terms are added in an order that rounds: (x + lam x) - lam x is not exactly x."""

import torch


def grad_reverse(x, lam):
    return (x + lam * x).detach() - lam * x
