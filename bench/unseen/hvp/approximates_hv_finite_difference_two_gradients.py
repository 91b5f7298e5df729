# Held out. Mistake: Approximates Hv with a finite difference of two gradients, which is accurate to about 1e-6 and depends on the norm of v
# True: finite-difference
import torch


def hvp(f, x, v, eps=1e-6):
    def gradient(at):
        at = at.detach().clone().requires_grad_(True)
        out = f(at)
        if not out.requires_grad:
            return torch.zeros_like(at)
        (g,) = torch.autograd.grad(out, at, allow_unused=True)
        return torch.zeros_like(at) if g is None else g

    # directional derivative of the gradient along v
    x0, d = x.detach(), v.detach()
    return (gradient(x0 + eps * d) - gradient(x0)) / eps
