# Held out. Mistake: the critic's outputs are averaged instead of summed before differentiating, so every sample's gradient is too small by the factor B.
# True: mean-of-outputs
import torch


def gradient_penalty(critic, x, *, target=1.0):
    x = x.detach().clone().requires_grad_(True)
    out = critic(x)
    (g,) = torch.autograd.grad(out.mean(), x, create_graph=True)
    norms = torch.linalg.vector_norm(g.flatten(1), dim=1)
    return ((norms - target) ** 2).mean()
