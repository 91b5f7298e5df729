"""A handle of one's own, which switches the recording off; scaled uses the node of a clone."""

import torch


class Handle:
    on = True

    def remove(self):
        self.on = False


def scaled(t, c):
    out = t.clone()
    if out.grad_fn is not None:
        out.grad_fn.register_hook(lambda inputs, outputs: tuple(None if g is None else g.mul(c) for g in inputs))
    return out


def record(t):
    log, handle = [], Handle()

    def hook(grad):
        if handle.on:
            log.append(torch.empty_like(grad, requires_grad=False).copy_(grad.detach()))
        return None

    t.register_hook(hook)
    return log, handle
