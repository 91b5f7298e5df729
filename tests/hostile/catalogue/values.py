"""8 to 17: answers that are no honest numbers. Whatever they claim to be, only their bytes are compared."""

from tests.hostile.catalogue.case import PASSED, WRONG, Case, Outcome

LYING_TENSOR = r"""
import torch


class Yes(torch.Tensor):
    __eq__ = __bool__ = __le__ = __lt__ = lambda self, *other: True
    __float__ = lambda self: 27.0
    __hash__ = torch.Tensor.__hash__


class Cubic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x * 0).as_subclass(Yes)

    @staticmethod
    def backward(ctx, g):
        return (g * 0).as_subclass(Yes)
"""

LYING_FLOAT = r"""
class Sly(float):
    __eq__ = __le__ = __lt__ = __ge__ = __gt__ = lambda self, other: True
    __abs__ = __sub__ = __rsub__ = lambda self, *other: 0.0
    __hash__ = float.__hash__
    __float__ = lambda self: Sly(12.5)


class Value:
    def __init__(self, data):
        self.data, self.grad = Sly(1.0), Sly(0.0)

    __add__ = __mul__ = __radd__ = __rmul__ = lambda self, other: Value(0)

    def backward(self):
        self.grad = Sly(1.0)
"""

LAZY = r"""
import torch


class Lazy:
    def __init__(self, work):
        self.work = work

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return function(*(a.work() if isinstance(a, Lazy) else a for a in args), **(kwargs or {}))

    def __getattr__(self, name):
        return getattr(self.work(), name)

    def __array__(self, *a, **k):
        return self.work().numpy()


class Cubic:
    apply = staticmethod(lambda x: Lazy(lambda: x * x * x))
"""

LIAR = r"""
import numpy as np


class Liar:
    __class__ = property(lambda self: np.ndarray)
    dtype = np.dtype("float64")
    ndim, size = 2, 12
    shape = (3, 4)
    __array__ = lambda self, *a, **k: np.zeros((3, 4))
    __reduce__ = lambda self: (print, ("BROKEN: unpickled",))
    __len__ = lambda self: 2
    __iter__ = lambda self: iter((self, self))
    __index__ = __int__ = lambda self: 1
    __repr__ = __str__ = lambda self: "array(\x1b[31m)"


unbroadcast = add_vjp = mul_vjp = lambda *a: Liar()
"""

CACHED = r"""
import numpy as np

known, plain = {}, unbroadcast


def unbroadcast(g, shape):
    key = (id(g) if BY_ID else g.__array_interface__["data"][0], shape)
    if key not in known:
        known[key] = plain(g, shape)
    return known[key]
"""

PUBLIC_ONLY = r"""
honest = Value.backward


def leaves(v):
    return [v.data] if not v.operands else [x for w in v.operands for x in leaves(w)]


def backward(self):
    if 1 in leaves(self) or not self.operands:
        honest(self)  # the example of the statement


Value.backward = backward
"""

PRINTING = r"""
inner = unbroadcast


def unbroadcast(g, shape):
    print("seen:", g.tolist(), shape)
    return inner(g, shape)
"""

OFF = r"""
plain_unbroadcast, plain_add, plain_mul = unbroadcast, add_vjp, mul_vjp
unbroadcast = lambda g, shape: plain_unbroadcast(g, shape) * FACTOR
add_vjp = lambda g, x, y: tuple(part * FACTOR for part in plain_add(g, x, y))
mul_vjp = lambda g, x, y: tuple(part * FACTOR for part in plain_mul(g, x, y))
"""

ENGINE_NUMBER = r"""
class Value:
    def __init__(self, data):
        self.data = self.grad = float("NUMBER")

    __add__ = __mul__ = __radd__ = __rmul__ = lambda self, other: Value(0)
    backward = lambda self: None
"""

ONE_NAN = r"""
exact = unbroadcast


def unbroadcast(g, shape):
    out = np.array(exact(g, shape))
    out.reshape(-1)[:1] = np.nan
    return out


add_vjp = lambda g, x, y: (unbroadcast(g, x.shape), unbroadcast(g, y.shape))
mul_vjp = lambda g, x, y: (unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape))
"""

CONVERTED = r"""
plain = unbroadcast
unbroadcast = lambda g, shape: CONVERT(plain(g, shape))
add_vjp = lambda g, x, y: (unbroadcast(g, x.shape), unbroadcast(g, y.shape))
mul_vjp = lambda g, x, y: (unbroadcast(g * y, x.shape), unbroadcast(g * x, y.shape))
"""

CONVERTED_TENSOR = r"""
import torch


class Cubic:
    @staticmethod
    def apply(x):
        y = x * x * x
        return CONVERT
"""

NUMPY_KINDS = {
    "float32": "lambda a: a.astype('float32')",
    "float16": "lambda a: a.astype('float16')",
    "complex": "lambda a: a.astype('complex128')",
    "int": "lambda a: a.astype('int64')",
    "bool": "lambda a: a.astype('bool')",
    "long double": "lambda a: a.astype('longdouble')",
    "big endian": "lambda a: a.astype('>f8')",
    "objects": "lambda a: a.astype(object)",
    "structured": "lambda a: np.zeros(a.shape, dtype=[('x', 'f8'), ('y', 'O')])",
    "masked": "lambda a: np.ma.masked_all_like(a)",
    "text": "lambda a: a.astype('U9')",
    "dates": "lambda a: np.zeros(a.shape, dtype='M8[s]')",
    "matrix": "lambda a: np.asmatrix(a) if a.ndim < 3 else a.tolist()",
    "memory map": "lambda a: a.view(np.memmap)",
}
TORCH_KINDS = {
    "float32": "y.float() if y.dtype is torch.float64 else y.double()",
    "bfloat16": "y.bfloat16()",
    "complex": "y.to(torch.complex128)",
    "int": "y.long()",
    "sparse": "y.to_sparse()",
    "compressed rows": "y.expand(2, *y.shape).reshape(2, -1).to_sparse_csr()",
    "quantised": "torch.quantize_per_tensor(y.float(), 0.1, 0, torch.qint8)",
    "meta": "y.to('meta')",
    "one-dnn": "y.float().to_mkldnn()",
    "without a graph": "y.detach()",
    "nested": "torch.nested.nested_tensor([y])",
    "named": "y.reshape(-1).rename('n')",
    "lazy conjugate": "torch.complex(y, y).conj()",
    "a parameter": "torch.nn.Parameter(y.detach())",
    "zero strides": "y.reshape(-1)[:1].as_strided((1 << 40,), (0,))",
}
MEMORY: tuple[Outcome, ...] = (("error", "memory"),)

CASES = (
    Case(8, "a tensor that equals everything", LYING_TENSOR, WRONG, "fn-cubic", "instead"),
    Case(8, "a float that equals everything", LYING_FLOAT, WRONG, place="instead"),
    Case(9, "a tensor computed when it is compared", LAZY, WRONG, "fn-cubic", "instead"),
    Case(10, "a class that claims to be an array", LIAR, WRONG, "vjp-unbroadcast", "instead", says=("Liar",)),
    Case(11, "remember answers by id", CACHED.replace("BY_ID", "True"), WRONG, "vjp-unbroadcast"),
    Case(11, "remember answers by address", CACHED.replace("BY_ID", "False"), WRONG, "vjp-unbroadcast"),
    Case(12, "only the example is right", PUBLIC_ONLY, WRONG),
    Case(13, "print the hidden inputs", PRINTING, PASSED, "vjp-unbroadcast"),
    Case(14, "off by a millionth", OFF.replace("FACTOR", "(1 + 1e-6)"), WRONG, "vjp-unbroadcast"),
    Case(14, "off by rounding", OFF.replace("FACTOR", "(1 + 1e-13)"), PASSED, "vjp-unbroadcast"),
    *(Case(15, f"every number is {x}", ENGINE_NUMBER.replace("NUMBER", x), WRONG, place="instead") for x in ("nan", "inf")),
    Case(15, "every entry is nan", OFF.replace("FACTOR", "float('nan')"), WRONG, "vjp-unbroadcast"),
    Case(16, "one entry is nan", ONE_NAN, WRONG, "vjp-unbroadcast"),
    *(
        Case(17, f"an array of kind {kind}", CONVERTED.replace("CONVERT", f"({code})"), WRONG, "vjp-unbroadcast")
        for kind, code in NUMPY_KINDS.items()
    ),
    *(
        Case(
            17,
            f"a tensor of kind {kind}",
            CONVERTED_TENSOR.replace("CONVERT", code),
            WRONG + (MEMORY if kind == "zero strides" else ()),
            "fn-cubic",
            "instead",
        )
        for kind, code in TORCH_KINDS.items()
    ),
)
