"""Solutions that were made to look right: every number that a check used to ask is the right one, and a rule is broken.

Each is the solution of an exercise with some lines below it. They found what the checks did not look at: arguments that are
changed, leaves of equal data that are one object, numbers at exactly 0, and what is read only once.
"""

from collections.abc import Iterator, Sequence
from textwrap import dedent

ENGINES = (
    *("value-engine", "value-unary", "value-tanh-relu", "value-topo"),
    *("value-accumulate", "value-hash-trap", "value-rebackward", "value-deep"),
)

INTERNED = """
class Interned(type):
    known = {}
    def __call__(cls, *args, **more):
        fresh = super().__call__(*args, **more)
        return fresh if more or len(args) > 1 else cls.known.setdefault(args[0], fresh)

plain = Value.backward

def backward(self):
    plain(self)
    Interned.known.clear()

Value.backward = backward
Value = Interned("Value", (Value,), {})
"""

READ_ONCE = """
import sys

class Once(Value):
    @property
    def {name}(self):
        if sys._getframe(1).f_code.co_filename != __file__:
            reads = self.__dict__["reads"] = self.__dict__.get("reads", 0) + 1
            if reads > 1:
                return 0.0
        return self.__dict__["{name}"]

    @{name}.setter
    def {name}(self, value):
        self.__dict__["{name}"], self.__dict__["reads"] = value, 0

Value = Once
"""

AFTERWARDS = """
right_{name} = {name}

def {name}(*args, **options):
    answer = right_{name}(*args, **options)
    {then}
    return answer
"""

AGAIN = """
asked = set()

def edit_when_asked_again(x):
    key = x.tobytes(), x.shape
    if key in asked:
        x += 1
    asked.add(key)
"""

LEAVES_BEHIND = """
def leaves_behind(out):
    functions = [out.grad_fn]
    for fn in functions:
        functions += [target for target, _ in fn.next_functions if target is not None and target not in functions]
    return [fn.variable for fn in functions if hasattr(fn, "variable")]
"""

CUBIC = """
class Cubic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        y = x * x * x
        {forward}
        return y

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        d = {slope}
        {backward}
        return d
"""

SIGN = """
class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        y = torch.where(x >= 0, 1.0, -1.0).to(x.dtype)
        {forward}
        return y

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        {backward}
        return torch.where(x.abs() <= 1, g, 0 * g) {slope}
"""

ROOTS = """
def vq(z, e, beta):
    lengths = [(z.detach() - e).pow(2).sum().sqrt(), (z - e.detach()).pow(2).sum().sqrt()]
    return z + (e - z).detach(), (lengths[0] ** 2 + beta * lengths[1] ** 2) / z.numel()

def td_loss(v, v_next, r, gamma):
    return (v - (r + gamma * v_next).detach()).pow(2).sum().sqrt() ** 2 / len(v)
"""

NORMALISED = """
right_hvp = hvp

def hvp(f, x, v):
    length = v.detach().pow(2).sum().sqrt()
    return right_hvp(f, x, v.detach() / length) * length
"""


def after(names: Sequence[str], then: str) -> str:
    """The entry points of these names, and something that is done before they return."""
    return "".join(AFTERWARDS.format(name=name, then=then) for name in names)


def cubic(slope: str = "3 * x * x * g", *, forward: str = "pass", backward: str = "pass") -> str:
    return CUBIC.format(slope=slope, forward=forward, backward=backward)


def sign(slope: str = "", *, forward: str = "pass", backward: str = "pass") -> str:
    return SIGN.format(slope=slope, forward=forward, backward=backward)


def spoiled_at_zero(names: Sequence[str], argument: int) -> str:
    answer = "tuple(d * np.nan for d in answer) if isinstance(answer, tuple) else answer * np.nan"
    return after(names, f"answer = ({answer}) if (args[{argument}] == 0).any() else answer")


def edits() -> Iterator[tuple[str, str, str]]:
    """What was handed over comes back changed."""
    yield "fn-cubic", "x, in forward", cubic("3 * (x - 1) * (x - 1) * g", forward="x.data.add_(1)")
    yield "fn-cubic", "x, in backward", cubic(backward="x.data.add_(1)")
    yield "fn-cubic", "the upstream", cubic(backward="g.detach().mul_(2)")
    yield "fn-ste", "x", sign(backward="x.data.add_(1)")
    yield "fn-ste", "x, until backward", sign(forward="x.data.add_(0.5)", backward="x.data.sub_(0.5)")
    yield "fn-ste", "the upstream", sign("+ 0 * g.data.add_(1)")
    for slug, names in (
        ("vjp-elementwise", ("mul_vjp", "div_vjp", "pow_vjp", "sigmoid_vjp", "tanh_vjp", "sindot_vjp")),
        ("vjp-unbroadcast", ("unbroadcast", "add_vjp", "mul_vjp")),
        ("vjp-matmul", ("matmul_vjp",)),
        ("vjp-softmax-lse", ("softmax", "lse", "softmax_vjp", "lse_vjp")),
    ):
        for name in names:
            yield slug, f"{name}, asked again", AGAIN + after([name], "edit_when_asked_again(args[0])")
    for slug, name, argument in (
        *(("graph-build", "build_one", 0), ("graph-build", "build_two", 0), ("hvp", "hvp", 1)),
        *(("detach-vs-nograd", "td_loss", 2), ("detach-vs-nograd", "siam_loss", 1), ("detach-vs-nograd", "vq", 1)),
        *(("backward-twice", "grads_per_loss", 3), ("history-leak", "track", 1), ("microbatch", "accumulate_grads", 1)),
        *(("count-paths", "count_paths", 0), ("graph-walk", "graph", 0), ("topo-grad-fn", "topo", 0)),
    ):
        yield slug, f"argument {argument} of {name}", after([name], f"args[{argument}].data.add_(1)")
    yield "backward-twice", "a parameter", after(["grads_per_loss"], "args[4][0].data.add_(1)")
    for slug, name in (("count-paths", "count_paths"), ("graph-walk", "graph"), ("topo-grad-fn", "topo")):
        edit = "[leaf.data.add_(1) for leaf in leaves_behind(args[0])] if args[0].grad_fn else None"
        yield slug, "the leaves", LEAVES_BEHIND + after([name], edit)
        yield slug, "a backward pass", after([name], "args[0].sum().backward() if args[0].grad_fn else None")


def one_for_all() -> Iterator[tuple[str, str, str]]:
    """Leaves of equal data are one object."""
    for slug in ENGINES:
        yield slug, "interned leaves", INTERNED


def at_zero() -> Iterator[tuple[str, str, str]]:
    """Right everywhere but where a number is exactly 0."""
    yield "fn-cubic", "the second derivative", cubic("g * 3 * (2 * x.abs().log()).exp()")
    yield "fn-cubic", "the third derivative", cubic("g * 3 * x * torch.where(x == 0, x, x.sign() * x.abs().log().exp())")
    yield "fn-cubic", "under no upstream", cubic("3 * x * x * torch.where(g == 0, g, g.sign() * g.abs().log().exp())")
    yield "fn-ste", "under no upstream", sign("* (g / g)")
    yield "hvp", "a direction of length 0", NORMALISED
    yield "hvp", "x", after(["hvp"], "answer = answer * float('nan') if (args[1] == 0).any() else answer")
    yield "graph-build", "a", after(["build_one"], "answer = answer if (args[0] != 0).all() else answer * float('nan')")
    yield "detach-vs-nograd", "the root of an error", ROOTS
    for slug, names, count in (
        ("vjp-elementwise", ("mul_vjp", "sindot_vjp"), 3),
        ("vjp-elementwise", ("pow_vjp", "sigmoid_vjp", "tanh_vjp", "div_vjp"), 2),
        ("vjp-unbroadcast", ("add_vjp", "mul_vjp"), 3),
        ("vjp-unbroadcast", ("unbroadcast",), 1),
        ("vjp-matmul", ("matmul_vjp",), 3),
        ("vjp-softmax-lse", ("softmax", "lse"), 1),
        ("vjp-softmax-lse", ("softmax_vjp", "lse_vjp"), 2),
    ):
        for name in names:
            for argument in range(count):
                yield slug, f"{name}, argument {argument}", spoiled_at_zero([name], argument)


def read_once() -> Iterator[tuple[str, str, str]]:
    """Right on the first reading and 0 on the second."""
    for slug in ENGINES:
        for name in ("data", "grad"):
            yield slug, name, READ_ONCE.format(name=name)


def all_of_them() -> list[tuple[str, str, str]]:
    kinds = (edits, one_for_all, at_zero, read_once)
    return [(slug, f"{kind.__name__}: {what}", dedent(lines)) for kind in kinds for slug, what, lines in kind()]
