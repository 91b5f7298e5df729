"""Value and tangent, and nothing that says to which derivative the tangent belongs."""

import math


class Dual:
    def __init__(self, re, du):
        self.re = re
        self.du = du

    def __add__(self, other):
        return Dual(re(self) + re(other), du(self) + du(other))

    def __radd__(self, other):
        return self + other

    def __neg__(self):
        return Dual(-self.re, -self.du)

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return (-self) + other

    def __mul__(self, other):
        a, b = re(self), re(other)
        return Dual(a * b, a * du(other) + du(self) * b)

    def __rmul__(self, other):
        return self * other

    def __truediv__(self, other):
        a, b = re(self), re(other)
        return Dual(a / b, (du(self) * b - a * du(other)) / (b * b))

    def __rtruediv__(self, other):
        a = self.re
        return Dual(other / a, -other * self.du / (a * a))

    def __pow__(self, n):
        if n == 0:
            return Dual(self.re ** n, 0.0 * self.du)
        return Dual(self.re ** n, n * self.re ** (n - 1) * self.du)

    def __lt__(self, other):
        return number(self) < number(other)

    def __gt__(self, other):
        return number(self) > number(other)

    def __le__(self, other):
        return number(self) <= number(other)

    def __ge__(self, other):
        return number(self) >= number(other)


def re(x):
    return x.re if isinstance(x, Dual) else x


def du(x):
    return x.du if isinstance(x, Dual) else 0.0


def number(x):
    while isinstance(x, Dual):
        x = x.re
    return x


def jvp(f, xs, vs):
    out = f(*[Dual(x, v) for x, v in zip(xs, vs)])
    return re(out), du(out)


def derivative(f, x):
    return jvp(f, [x], [1.0])[1]


def sin(x):
    if not isinstance(x, Dual):
        return math.sin(x)
    return Dual(sin(x.re), cos(x.re) * x.du)


def cos(x):
    if not isinstance(x, Dual):
        return math.cos(x)
    return Dual(cos(x.re), -sin(x.re) * x.du)


def exp(x):
    if not isinstance(x, Dual):
        return math.exp(x)
    e = exp(x.re)
    return Dual(e, e * x.du)


def log(x):
    if not isinstance(x, Dual):
        return math.log(x)
    return Dual(log(x.re), x.du / x.re)
