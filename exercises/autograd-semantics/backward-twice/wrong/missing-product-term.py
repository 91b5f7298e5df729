import torch


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    cut = h.detach().requires_grad_(True)

    heads = []
    for head in (head_a, head_b):
        loss = head(cut)
        got = torch.autograd.grad(loss, [cut] + list(params), allow_unused=True)
        dh = got[0] if got[0] is not None else torch.zeros_like(cut)
        heads.append((dh, got[1:]))

    out = []
    for i, (dh, from_head) in enumerate(heads):
        from_trunk = torch.autograd.grad(h, params, dh, allow_unused=True, retain_graph=(i == 0))
        grads = []
        for p, t, d in zip(params, from_trunk, from_head):
            if t is not None:
                grads.append(t.clone())          # parameter of the trunk
            elif d is not None:
                grads.append(d.clone())          # parameter of the head
            else:
                grads.append(torch.zeros_like(p))
        out.append(grads)
    return out[0], out[1]
