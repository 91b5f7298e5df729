# Held out. Mistake: the gradient of a parameter used in both trunk and head is taken from the head alone, so the contribution through the trunk is not added.
import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    cut = h.detach().requires_grad_()

    head_results = []
    for head in (head_a, head_b):
        loss = head(cut)
        if loss.requires_grad:
            gs = torch.autograd.grad(loss, [cut] + list(params), allow_unused=True)
        else:
            gs = [None] * (len(params) + 1)
        head_results.append(gs)

    out = []
    for i, (gh, *direct) in enumerate(head_results):
        if gh is None:
            gh = torch.zeros_like(h)
        if h.requires_grad:
            through = torch.autograd.grad(h, params, gh, retain_graph=(i == 0), allow_unused=True)
        else:
            through = [None] * len(params)
        row = []
        for p, d, t in zip(params, direct, through):
            if d is not None:
                row.append(d.clone())
            elif t is not None:
                row.append(t.clone())
            else:
                row.append(torch.zeros_like(p, requires_grad=False))
        out.append(row)
    return out[0], out[1]
