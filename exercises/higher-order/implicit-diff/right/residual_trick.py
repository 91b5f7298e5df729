"""One Newton step from the exact solution: it changes nothing but the gradient."""

import torch


def linear_solve(A, b):
    fixed = A.detach()
    x = torch.linalg.solve(fixed, b.detach())
    residual = b - A @ x
    return x + torch.linalg.solve(fixed, residual)


def search(f, theta, z0):
    z = z0.detach()
    with torch.no_grad():
        for _ in range(4000):
            new = f(z, theta)
            if (new - z).norm() < 1e-12:
                return new
            z = new
    return z


class InverseOfIMinusJ(torch.autograd.Function):
    @staticmethod
    def forward(ctx, residual, J):
        ctx.J = J
        return residual * 1

    @staticmethod
    def backward(ctx, g):
        J = ctx.J()
        return torch.linalg.solve((torch.eye(len(g), dtype=g.dtype) - J).T, g), None


def fixed_point(f, theta, z0):
    z = search(f, theta, z0)

    def J():
        return torch.autograd.functional.jacobian(lambda z: f(z, theta.detach()), z)

    residual = f(z, theta) - z
    return z + InverseOfIMinusJ.apply(residual, J)
