"""The first run happens outside; a small Function connects its value to the arguments that require grad."""

import torch


class Bridge(torch.autograd.Function):
    """The value of `value` with edges to `inputs`; `pull` turns the upstream gradient into theirs."""

    @staticmethod
    def forward(ctx, value, pull, *inputs):
        ctx.pull = pull
        return value.clone()

    @staticmethod
    def backward(ctx, g):
        return (None, None, *ctx.pull(g))


def checkpoint(fn, *args):
    start = torch.get_rng_state()
    with torch.no_grad():
        value = fn(*args)
    wanted = [n for n, a in enumerate(args) if torch.is_tensor(a) and a.requires_grad]

    def pull(g):
        again = list(args)
        for n in wanted:
            again[n] = args[n].detach().clone().requires_grad_()
        current = torch.get_rng_state()
        try:
            torch.set_rng_state(start)
            with torch.enable_grad():
                y = fn(*again)
        finally:
            torch.set_rng_state(current)
        torch.autograd.backward(y, g)
        return [again[n].grad for n in wanted]

    return Bridge.apply(value, pull, *[args[n] for n in wanted])
