"""(1 + lam) x - lam x: right on paper, rounded in the last digit."""

import torch


def grad_reverse(x, lam):
    return (1 + lam) * x.detach() - lam * x
