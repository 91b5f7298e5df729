"""One vector-Jacobian product for each function, from the loss back, on copies that are leaves."""

import torch


def intermediate_grads(fs, x):
    tape = []
    h = x
    for f in fs:
        argument = h.detach().clone().requires_grad_()
        h = f(argument)
        tape.append((argument, h))
    grads = [torch.ones((), dtype=h.dtype)]
    for argument, result in reversed(tape):
        grads.insert(0, torch.autograd.grad(result, argument, grads[0])[0])
    return grads
