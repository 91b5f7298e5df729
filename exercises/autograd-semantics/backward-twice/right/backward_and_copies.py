"""backward() with a cleared .grad, which is copied after each pass."""


def grads_per_loss(trunk, head_a, head_b, x, params):
    h = trunk(x)
    losses = [head_a(h), head_b(h)]
    lists = []
    while losses:
        for p in params:
            p.grad = None
        losses.pop(0).backward(retain_graph=bool(losses))
        lists.append([p.new_zeros(p.shape) if p.grad is None else p.grad.clone() for p in params])
    return lists[0], lists[1]
