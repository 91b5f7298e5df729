"""Wrong local derivatives and wrong values of operations, in terms of the operands a and b (b is the exponent of a power) and
the result y."""

import math
from collections.abc import Callable
from functools import partial

Slope = Callable[[float, float, float], float]  # a, b, y


def _guarded(a: float, b: float, y: float) -> float:
    return b * y / a if a else 0.0


def _by_logarithms(a: float, b: float, y: float) -> float:
    size = math.exp((b - 1) * math.log(abs(a)))
    return b * size * (1 if a > 0 or (b - 1) % 2 == 0 else -1)


def _leaking(slope: float, a: float, b: float, y: float) -> float:
    return 1.0 if a > 0 else slope


# by operation and operand: the kind of mistake, its description, and the wrong local derivative
WRONG_SLOPES: dict[tuple[str, int], tuple[tuple[str, str, Slope], ...]] = {
    ("*", 0): (("output-for-input", "y", lambda a, b, y: y), ("square-of-input", "2 a", lambda a, b, y: 2 * a)),
    ("*", 1): (("output-for-input", "y", lambda a, b, y: y),),
    ("/", 0): (
        ("output-for-input", "1 / y", lambda a, b, y: 1 / y),
        ("output-for-input", "y", lambda a, b, y: y),
        ("mul-div", "b", lambda a, b, y: b),
        ("swap-names", "1 / a", lambda a, b, y: 1 / a),
        ("exponent", "1 / b^2", lambda a, b, y: 1 / b**2),
    ),
    ("/", 1): (
        ("drop-factor", "-1 / b^2", lambda a, b, y: -1 / b**2),
        ("drop-factor", "-a", lambda a, b, y: -a),
        ("drop-factor", "a", lambda a, b, y: a),
        ("drop-factor", "-a / b", lambda a, b, y: -a / b),
        ("exponent", "-1 / b", lambda a, b, y: -1 / b),
        ("output-for-input", "-y / b^2", lambda a, b, y: -y / b**2),
        ("output-for-input", "-a / y^2", lambda a, b, y: -a / y**2),
        ("input-for-output", "-a b^2", lambda a, b, y: -a * b**2),
        ("input-for-output", "-b^2", lambda a, b, y: -(b**2)),
        ("swap-names", "-b / a^2", lambda a, b, y: -b / a**2),
        ("mul-div", "-a b", lambda a, b, y: -a * b),
    ),
    ("**", 0): (
        ("drop-factor", "a^(n - 1)", lambda a, b, y: a ** (b - 1)),
        ("drop-factor", "n", lambda a, b, y: b),
        ("exponent", "n a^n", lambda a, b, y: b * y),
        ("exponent", "n a^(n + 1)", lambda a, b, y: b * a ** (b + 1)),
        ("exponent", "n a^(n - 2)", lambda a, b, y: b * a ** (b - 2)),
        ("exponent", "n a", lambda a, b, y: b * a),
        ("exponent", "a^n", lambda a, b, y: y),
        ("exponent", "n a^k, k one nearer to 0 than n", lambda a, b, y: b * a ** (b - 1 if b > 0 else b + 1)),
        ("exponent", "n a^(n - 1) with n cut to a whole number", lambda a, b, y: b * a ** (int(b) - 1)),
        ("exponent", "n a^(n - 1) with a negative n made positive", lambda a, b, y: b * a ** (abs(b) - 1)),
        ("exponent", "(n - 1) a^(n - 1)", lambda a, b, y: (b - 1) * a ** (b - 1)),
        ("exponent", "(n - 1) a^n", lambda a, b, y: (b - 1) * y),
        ("output-for-input", "n y^(n - 1)", lambda a, b, y: b * y ** (b - 1)),
        ("kink", "n y / a", lambda a, b, y: b * y / a),
        ("kink", "n y / a, and 0 where a is 0", _guarded),
        ("kink", "by logarithms", _by_logarithms),
        ("wrong-local-derivative", "y log a", lambda a, b, y: y * math.log(a)),
    ),
    ("exp", 0): (
        ("input-for-output", "a", lambda a, b, y: a),
        ("output-for-input", "exp y", lambda a, b, y: math.exp(y)),
        ("exponent", "a exp(a - 1)", lambda a, b, y: a * math.exp(a - 1)),
        ("drop-factor", "1", lambda a, b, y: 1.0),
        ("wrong-local-derivative", "1 / a", lambda a, b, y: 1 / a),
    ),
    ("log", 0): (
        ("output-for-input", "1 / y", lambda a, b, y: 1 / y),
        ("mul-div", "a", lambda a, b, y: a),
        ("output-for-input", "y", lambda a, b, y: y),
        ("exponent", "1 / a^2", lambda a, b, y: 1 / a**2),
        ("drop-factor", "1", lambda a, b, y: 1.0),
        ("wrong-local-derivative", "1 / (a log 10)", lambda a, b, y: 1 / (a * math.log(10))),
    ),
    ("square", 0): (
        ("drop-factor", "a", lambda a, b, y: a),
        ("drop-factor", "2", lambda a, b, y: 2.0),
        ("output-for-input", "2 y", lambda a, b, y: 2 * y),
        ("exponent", "2 a^2", lambda a, b, y: 2 * a * a),
    ),
    ("tanh", 0): (
        ("input-for-output", "1 - a^2", lambda a, b, y: 1 - a * a),
        ("input-for-output", "made of exp, whose slope is its argument", lambda a, b, y: 2 * a * (1 - y) ** 2),
        ("wrong-local-derivative", "1 - y", lambda a, b, y: 1 - y),
        ("wrong-local-derivative", "y (1 - y)", lambda a, b, y: y * (1 - y)),
        ("wrong-local-derivative", "1 + y^2", lambda a, b, y: 1 + y * y),
        ("wrong-local-derivative", "y^2", lambda a, b, y: y * y),
        ("wrong-local-derivative", "y^2 - 1", lambda a, b, y: y * y - 1),
        ("sign", "(1 + y)^2", lambda a, b, y: (1 + y) ** 2),
        ("sign", "(1 - y)^2", lambda a, b, y: (1 - y) ** 2),
        ("wrong-local-derivative", "1 - |y|", lambda a, b, y: 1 - abs(y)),
        ("wrong-local-derivative", "1 / cosh a", lambda a, b, y: 1 / math.cosh(a)),
        ("wrong-local-derivative", "1 - tanh(y)^2", lambda a, b, y: 1 - math.tanh(y) ** 2),
        ("wrong-local-derivative", "1 / (1 + a^2)", lambda a, b, y: 1 / (1 + a * a)),
        ("wrong-local-derivative", "y", lambda a, b, y: y),
        ("drop-factor", "1", lambda a, b, y: 1.0),
    ),
    ("relu", 0): (
        ("mask-inverted", "a <= 0", lambda a, b, y: float(a <= 0)),
        ("mask-inverted", "a < 0", lambda a, b, y: float(a < 0)),
        ("kink-value", "a >= 0", lambda a, b, y: float(a >= 0)),
        ("kink-value", "a > 0, and 1/2 at 0", lambda a, b, y: 0.5 if a == 0 else float(a > 0)),
        *(("no-mask", f"{s} on the flat side", partial(_leaking, s)) for s in (0.01, 0.1, 0.2, 0.3)),
        ("wrong-local-derivative", "1", lambda a, b, y: 1.0),
        ("wrong-local-derivative", "y", lambda a, b, y: y),
        ("wrong-local-derivative", "the sign of a", lambda a, b, y: float((a > 0) - (a < 0))),
    ),
}
# by operation: the kind of mistake and the wrong value
WRONG_VALUES: dict[str, tuple[tuple[str, Callable[..., float]], ...]] = {
    "+": (
        ("drop-term", lambda a, b: a),
        ("drop-term", lambda a, b: b),
        ("sign", lambda a, b: a - b),
        ("swap-names", lambda a, b: a + a),
        ("swap-names", lambda a, b: b + b),
    ),
    "-": (
        ("drop-term", lambda a, b: a),
        ("drop-term", lambda a, b: b),
        ("sign", lambda a, b: a + b),
        ("swap-operands", lambda a, b: b - a),
    ),
    "*": (
        ("drop-factor", lambda a, b: a),
        ("drop-factor", lambda a, b: b),
        ("mul-div", lambda a, b: a / b),
        ("swap-names", lambda a, b: a * a),
        ("swap-names", lambda a, b: b * b),
    ),
    "/": (
        ("drop-factor", lambda a, b: a),
        ("drop-factor", lambda a, b: b),
        ("swap-operands", lambda a, b: b / a),
        ("mul-div", lambda a, b: a * b),
    ),
    "neg": (("sign", lambda a: a),),
    "exp": (("drop-call", lambda a: a),),
    "log": (("drop-call", lambda a: a),),
    "tanh": (("drop-call", lambda a: a), ("sign", lambda a: -math.tanh(a))),
    "relu": (("drop-call", lambda a: a), ("sign", lambda a: min(a, 0.0)), ("constant", lambda a: max(a, 0.0) * 2)),
    "square": (("constant", lambda a: 2 * a), ("drop-factor", lambda a: a), ("exponent", lambda a: a**3)),
}
# right local derivatives in terms of the result, which a wrong value makes wrong
SLOPES_OF_RESULT: dict[str, Slope] = {
    "exp": lambda a, b, y: y,
    "tanh": lambda a, b, y: 1 - y * y,
    "relu": lambda a, b, y: float(y > 0),
}
