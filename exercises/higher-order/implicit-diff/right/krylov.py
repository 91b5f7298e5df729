"""Two Functions that save only solutions: one LU factorisation serves both directions of the linear system, the fixed
point is found with secant steps (Anderson, depth one), and its adjoint equation is solved by GMRES in a Krylov
space."""

import torch


class Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, A, B):
        factors = torch.linalg.lu_factor(A)
        X = torch.linalg.lu_solve(*factors, B)
        ctx.save_for_backward(*factors, X)
        return X

    @staticmethod
    def backward(ctx, G):
        lu, pivots, X = ctx.saved_tensors
        bar = torch.linalg.lu_solve(lu, pivots, G, adjoint=True)
        return -bar @ X.mT, bar


def linear_solve(A, b):
    return Solve.apply(A, b) if b.ndim == 2 else Solve.apply(A, b.unsqueeze(1)).squeeze(1)


def find(f, theta, z):
    """A secant step is kept only if it shrinks the residual at least as much as a contraction would."""
    best, image = z, f(z, theta)
    residual = image - best
    step_from = None
    for _ in range(2000):
        if residual.norm() <= max(1e-13, 1e-15 * best.norm()):
            break
        new = image
        if step_from is not None:
            old_image, old_residual = step_from
            change = residual - old_residual
            new = image - (image - old_image) * (change @ residual / (change @ change).clamp_min(1e-300))
        new_image = f(new, theta)
        if step_from is not None and not (new_image - new).norm() <= 0.9 * residual.norm():
            new, new_image = image, f(image, theta)
        step_from = image, residual
        best, image, residual = new, new_image, new_image - new
    return best


def gmres(apply, g, tol=1e-12):
    """The v with apply(v) = g, of least residual in the span of g, apply(g), apply(apply(g)), ..."""
    size = g.norm()
    if size == 0:
        return g
    basis, images = [g / size], []
    while True:
        w = apply(basis[-1])
        images.append(w)
        M = torch.stack(images, 1)
        y = torch.linalg.lstsq(M, g.unsqueeze(1)).solution.squeeze(1)
        Q = torch.stack(basis, 1)
        if (M @ y - g).norm() <= tol * size or len(basis) == len(g):
            return Q @ y
        for _ in range(2):
            w = w - Q @ (Q.T @ w)
        basis.append(w / w.norm())


class Fixed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, f, theta, z0):
        z = find(f, theta.detach(), z0.detach().clone())
        ctx.f = f
        ctx.save_for_backward(theta, z)
        return z

    @staticmethod
    def backward(ctx, g):
        theta, z = (t.detach().requires_grad_() for t in ctx.saved_tensors)
        with torch.enable_grad():
            image = ctx.f(z, theta)
        v = gmres(lambda u: u - torch.autograd.grad(image, z, u, retain_graph=True)[0], g)
        return None, torch.autograd.grad(image, theta, v)[0], None


def fixed_point(f, theta, z0):
    return Fixed.apply(f, theta, z0)
