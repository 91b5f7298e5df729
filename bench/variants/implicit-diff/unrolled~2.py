"""The solution is found first, and then the last three hundred steps are repeated and recorded."""

import torch


class LinearSolve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, A, b):
        x = torch.linalg.solve(A, b)
        ctx.save_for_backward(A, x)
        return x

    @staticmethod
    def backward(ctx, g):
        A, x = ctx.saved_tensors
        db = torch.linalg.solve(A.mT, g)
        if x.ndim == 1:
            return -torch.outer(db, x), db
        return -db @ x.mT, db


def linear_solve(A, b):
    return LinearSolve.apply(A, b)


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
    for _ in range(300):
        z = f(z, theta)
    return z
