"""The solution is reattached by one application of f, and a hook solves the adjoint equation."""

import torch


def linear_solve(A, b):
    return torch.linalg.inv(A) @ b


def search(f, theta, z0):
    z = z0.detach()
    with torch.no_grad():
        for _ in range(4000):
            new = f(z, theta)
            if (new - z).norm() < 1e-12:
                return new
            z = new
    return z


def fixed_point(f, theta, z0):
    z = search(f, theta, z0)
    out = f(z, theta)
    at = z.clone().requires_grad_()
    with torch.enable_grad():
        again = f(at, theta.detach())

    def adjoint(g):
        v = g
        for _ in range(3000):
            new = g + torch.autograd.grad(again, at, v, retain_graph=True)[0]
            if torch.equal(new, v) or (new - v).abs().max() < 1e-13:
                break
            v = new
        return new

    out.register_hook(adjoint)
    return out
