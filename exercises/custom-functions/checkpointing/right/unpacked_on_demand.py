"""The graph is recorded as usual, but what its nodes save is replaced by numbers. The first number that is unpacked runs fn
again and collects everything that is saved."""

import torch
from torch.autograd.graph import saved_tensors_hooks


def checkpoint(fn, *args):
    if not torch.is_grad_enabled():
        return fn(*args)
    state = torch.get_rng_state()
    count, values = [0], []

    def pack(tensor):
        count[0] += 1
        return count[0] - 1

    def collect(tensor):
        values.append(tensor.detach())
        return len(values) - 1

    def unpack(number):
        if not values:
            now = torch.get_rng_state()
            torch.set_rng_state(state)
            with torch.enable_grad(), saved_tensors_hooks(collect, lambda n: values[n]):
                fn(*args)
            torch.set_rng_state(now)
        return values[number]

    with saved_tensors_hooks(pack, unpack):
        return fn(*args)
