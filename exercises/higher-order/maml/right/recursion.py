"""One step, then the rest of the steps with one step less. Zeros for what a loss ignores."""

from torch.autograd import grad


def after(loss_fn, params, task, inner_lr, steps, constant):
    support, query = task
    if steps == 0:
        return loss_fn(list(params), query)
    slopes = grad(
        loss_fn(list(params), support), params, create_graph=True, allow_unused=True, materialize_grads=True
    )
    if constant:
        slopes = [g.detach() for g in slopes]
    moved = tuple(p - inner_lr * g for p, g in zip(params, slopes))
    return after(loss_fn, moved, task, inner_lr, steps - 1, constant)


def maml_loss(loss_fn, params, tasks, *, inner_lr, inner_steps, first_order=False):
    results = [after(loss_fn, tuple(params), task, inner_lr, inner_steps, first_order) for task in tasks]
    return sum(result / len(tasks) for result in results)
