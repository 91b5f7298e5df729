"""Sample by sample with torch.func.grad, and a norm that looks at zero first."""

import torch


def gradient_penalty(critic, x, *, target=1.0):
    def norm_at(sample):
        gradient = torch.func.grad(lambda t: critic(t[None]).sum())(sample)
        square = (gradient * gradient).sum()
        safe = torch.where(square == 0, torch.ones_like(square), square)
        return torch.where(square == 0, torch.zeros_like(square), safe.sqrt())

    norms = [norm_at(sample) for sample in x.detach()]
    return sum((norm - target) ** 2 for norm in norms) / len(norms)
