"""The solution is found without recording, and returned as it is."""

import torch


def linear_solve(A, b):
    return torch.linalg.solve(A, b)


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
    return search(f, theta, z0)
