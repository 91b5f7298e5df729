"""The adjoint iteration replaces v by J^T v and does not add g again, so v goes to zero."""

import torch


def linear_solve(A, b):
    return torch.linalg.solve(A, b)


class _Equilibrium(torch.autograd.Function):
    @staticmethod
    def forward(ctx, f, theta, z0):
        z = z0
        while True:
            z_next = f(z, theta)
            if (z_next - z).norm() < 1e-12:
                break
            z = z_next
        ctx.save_for_backward(z_next, theta)
        ctx.f = f
        return z_next

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        z, theta = ctx.saved_tensors
        with torch.enable_grad():
            z = z.detach().requires_grad_()
            theta = theta.detach().requires_grad_()
            fz = ctx.f(z, theta)
        v = g
        for _ in range(600):
            v_next = torch.autograd.grad(fz, z, grad_outputs=v, retain_graph=True)[0]
            if (v_next - v).norm() < 1e-12:
                break
            v = v_next
        return None, torch.autograd.grad(fz, theta, grad_outputs=v)[0], None


def fixed_point(f, theta, z0):
    return _Equilibrium.apply(f, theta, z0)
