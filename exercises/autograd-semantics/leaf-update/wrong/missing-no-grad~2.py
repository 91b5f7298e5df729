def sgd_step(params, lr):
    for p in params:
        if p.grad is None:
            continue
        step = p.grad.detach() * lr
        p.sub_(step)
