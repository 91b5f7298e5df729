"""Each function gets a detached copy; retain_grad is called on the results."""


def intermediate_grads(fs, x):
    x.grad = None
    results = [x]
    for f in fs:
        h = f(results[-1].detach().requires_grad_())
        h.retain_grad()
        results.append(h)
    results[-1].backward()
    return [h.grad for h in results]
