"""A miniature of the flags: an operation is recorded if an operand requires grad and recording is on."""


class Tensor:
    recording = True

    def __init__(self, requires_grad=False, recorded=False):
        self.requires_grad, self.recorded, self.grad = requires_grad, recorded, "none"

    def operation(self, differentiable=True):
        recorded = Tensor.recording and differentiable and self.requires_grad
        return Tensor(recorded, recorded)

    def detach(self):
        return Tensor()

    def requires_grad_(self):
        self.requires_grad = True
        return self

    def backward(self, *upstream):
        for t in upstream:
            if t.requires_grad and not t.recorded:
                t.grad = "other"

    def facts(self):
        return [not self.recorded, self.requires_grad, not self.recorded]


def without_recording(make):
    Tensor.recording = False
    try:
        return make()
    finally:
        Tensor.recording = True


def ones():
    return Tensor()


w = Tensor(True)
tensors = [
    ones(),
    Tensor(True),
    Tensor(True).operation(),
    ones().operation().requires_grad_(),
    Tensor(True),
    Tensor(True).operation(),
    w.detach(),
    without_recording(w.operation),
    ones(),
    w.detach().requires_grad_(),
    w,
    w.operation(),
    without_recording(lambda: Tensor(True)),
    w.operation(differentiable=False),
    w.operation(),
    w.detach(),
]
answers = {f"t{n}": t.facts() for n, t in enumerate(tensors, 1)}
answers["t17"] = w.grad
h = w.operation()
h.backward(h, w)
answers["t18"] = h.grad
answers["t19"] = "zeros" if w.grad == "other" else w.grad
