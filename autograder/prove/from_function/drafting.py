"""The files of a first draft: an exercise on the backward pass of a function."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import indent

import numpy as np

from autograder.prove.from_function.examples import SIZES, Domain, Numbers, domain_of, gradients_of, sample, value_of
from autograder.prove.from_function.steps import Forward, Shape, read
from autograder.prove.from_function.writing import Line, backward_lines, forward_lines


@dataclass(frozen=True)
class Drafted:
    """A first draft: what students write, and the files by path."""

    entry: str
    files: dict[str, str]


def files_of(source: str, shapes: Mapping[str, Shape], title: str, unit: str) -> Drafted:
    """The files of an exercise in which students write the VJP of a NumPy function, or a torch Function. Raises `Unsupported`."""
    forward = read(source, shapes)
    about = _About(forward, domain_of(forward), title, unit)
    write = _TorchFunction(about) if forward.library == "torch" else _NumpyVjp(about)
    files = {
        "exercise.toml": write.settings(),
        "statement.md": write.statement(),
        "starter.py": write.starter(),
        "solution.py": write.program(*backward_lines(forward, forward.library)),
        "checks.py": write.checks(),
    }
    lines, gradients = backward_lines(forward, forward.library)
    files["right/added_to_zeros.py"] = write.program(lines, _added_to_zeros(forward, gradients))
    for name, (lines, gradients) in wrong_versions(forward).items():
        files[f"wrong/{name}.py"] = write.program(lines, gradients)
    return Drafted(write.entry, {path: text.strip() + "\n" for path, text in files.items()})


def wrong_versions(forward: Forward) -> dict[str, tuple[list[Line], list[str]]]:
    """The backward passes of mistakes that this function allows, by the name of the mistake."""
    library = forward.library
    right = backward_lines(forward, library)
    ones = f"{'np' if library == 'numpy' else 'torch'}.ones_like(g)"
    lines, gradients = backward_lines(forward, library, upstream="ones")
    found = {
        "missing-upstream": ([("ones", ones), *lines], gradients),
        "wrong-sign": (right[0], [f"-{gradient}" for gradient in right[1]]),
    }
    unsummed = backward_lines(forward, library, reduced=False)
    if unsummed != right:
        found["missing-unbroadcast"] = unsummed
    return found


def _added_to_zeros(forward: Forward, gradients: Sequence[str]) -> list[str]:
    """The gradients as a solution has them that accumulates into arrays of zeros."""
    module = "np" if forward.library == "numpy" else "torch"
    return [f"{module}.zeros_like({name}) + {value}" for name, value in zip(forward.inputs, gradients, strict=True)]


@dataclass(frozen=True)
class _About:
    forward: Forward
    domain: Domain
    title: str
    unit: str

    @property
    def inputs(self) -> list[str]:
        return list(self.forward.inputs)

    @property
    def result_shape(self) -> Shape:
        return self.forward.shapes[self.forward.result]

    def dimensions(self, shape: Shape) -> str:
        """A shape as code, of the sizes that a check draws."""
        return f"({', '.join(shape)}{',' if len(shape) == 1 else ''})"


def _block(lines: Sequence[Line]) -> str:
    return "\n".join(f"{name} = {value}" for name, value in lines)


def _returned(values: Sequence[str]) -> str:
    return f"{', '.join(values)}{',' if len(values) == 1 else ''}"


class _Writer:
    """What both kinds of exercise have in common."""

    kind: str
    profile: str
    entry: str
    signature: str
    concepts: tuple[str, ...]

    def __init__(self, about: _About) -> None:
        self.about, self.forward = about, about.forward

    def settings(self) -> str:
        def quoted(text: str) -> str:
            return json.dumps(text, ensure_ascii=False)

        return "\n".join(
            (
                f"title = {quoted(self.about.title)}",
                f'kind = "{self.kind}"',
                f'profile = "{self.profile}"',
                f"unit = {quoted(self.about.unit)}",
                "points = 4",
                "difficulty = 2",
                "minutes = 25",
                f"concepts = [{', '.join(map(quoted, self.concepts))}]",
                "",
                "[[entry_points]]",
                f'name = "{self.entry}"',
                f"signature = {quoted(self.signature)}",
            )
        )

    def rules(self) -> list[str]:
        about, forward = self.about, self.forward
        kind = "tensor" if forward.library == "torch" else "array"
        shapes = [f"`{name}` has shape `{about.dimensions(shape)}`" for name, shape in forward.inputs.items()]
        letters = list(forward.letters)
        sizes = f", where {' and '.join(f'`{letter}`' for letter in letters)} may be any size from 1" if letters else ""
        positive = " Their entries are positive." if about.domain.positive else ""
        return [f"{' and '.join(shapes)}{sizes}. Each is a float64 {kind}.{positive}"]

    def example(self) -> tuple[dict[str, Numbers], Numbers, dict[str, Numbers]]:
        """Small inputs, an upstream gradient, and the gradients."""
        inputs = sample(self.forward, positive=self.about.domain.positive)
        value = value_of(self.forward, inputs)
        upstream = np.array([1.0, -2.0, 0.5, 3.0])[np.arange(value.size) % 4].reshape(value.shape)
        return inputs, upstream, gradients_of(self.forward, inputs, upstream)

    def drawing(self) -> str:
        """The functions of checks.py that draw inputs."""
        tensors = self.forward.library == "torch"
        kind = "torch.Tensor" if tensors else "Numbers"
        numbers = (
            "rng.uniform(0.5, 2.0, size=shape)"
            if self.about.domain.positive
            else ("rng.uniform(1.2, 2.0, size=shape) * rng.choice([-1.0, 1.0], size=shape)")
        )
        says = (
            "Positive numbers around one."
            if self.about.domain.positive
            else ("Magnitudes around one, both signs, and neither 0 nor 1, which hide mistakes.")
        )
        made = f"np.asarray({numbers})"
        return "\n".join(
            (
                f"def numbers(rng: np.random.Generator, *shape: int) -> {kind}:",
                f'    """{says}"""',
                f"    return {f'torch.from_numpy({made})' if tensors else made}",
            )
        )

    def sizes(self) -> str:
        return ", ".join(f"{letter}: int" for letter in self.forward.letters)

    def some_sizes(self) -> list[tuple[int, ...]]:
        """Sizes for the public check, then those for the hidden one: a single row, a single column, larger ones."""
        count = len(self.forward.letters)
        ones = [tuple(1 if n == at else 3 + n for n in range(count)) for at in range(count)]
        return [tuple(SIZES[:count]), *ones, tuple(4 + n for n in range(count))]

    def statement(self) -> str:
        raise NotImplementedError

    def starter(self) -> str:
        raise NotImplementedError

    def program(self, lines: Sequence[Line], gradients: Sequence[str]) -> str:
        raise NotImplementedError

    def checks(self) -> str:
        raise NotImplementedError


class _NumpyVjp(_Writer):
    kind, profile = "vjp", "numpy"
    concepts = ("vector-Jacobian product", "chain rule")

    def __init__(self, about: _About) -> None:
        super().__init__(about)
        self.entry = f"{self.forward.name}_vjp"
        self.signature = f"{self.entry}(g, {', '.join(about.inputs)})"

    def program(self, lines: Sequence[Line], gradients: Sequence[str]) -> str:
        body = indent("\n".join(filter(None, (_block(lines), f"return {_returned(gradients)}"))), "    ")
        return f"import numpy as np\n\n\ndef {self.signature}:\n{body}"

    def starter(self) -> str:
        names = " and ".join(self.about.inputs)
        what = f"gradient{'s' if len(self.about.inputs) > 1 else ''} of {names}"
        return (
            f"import numpy as np\n\n\n{self.forward.source}\n\n\ndef {self.signature}:\n"
            f'    """Return the {what} as a tuple, for the upstream gradient g."""\n    raise NotImplementedError("your part")'
        )

    def statement(self) -> str:
        inputs, upstream, gradients = self.example()
        lines = [f"{name} = np.array({_list(values)})" for name, values in (("g", upstream), *inputs.items())]
        answer = ", ".join(f"array({_list(np.round(values, 4))})" for values in gradients.values())
        call = f"{self.signature}  # ({answer}{',' if len(gradients) == 1 else ''}), to four digits"
        names = [f"`{name}`" for name in self.about.inputs]
        many = len(names) > 1
        return _statement(
            intro=f"This is the forward pass of `{self.forward.name}`. Write its backward pass.",
            source=self.forward.source,
            what=f"`{self.signature}` returns a tuple with the gradient{'s' if many else ''} of the loss with respect to "
            f"{_listed(names)}, where `g` is the upstream gradient: that of the result, in its shape.",
            example="\n".join([*lines, call]),
            rules=[
                *self.rules(),
                "Each gradient has the shape of its input.",
                "Do not change the arguments.",
                "Write the derivative with calculus. Finite differences are not accurate enough.",
            ],
        )

    def checks(self) -> str:
        about, forward = self.about, self.forward
        drawn = ", ".join(f'"{name}": draw(rng, {", ".join(shape)})' for name, shape in forward.inputs.items())
        public, *hidden = self.some_sizes()
        imports = "from autograder.judge.checks import Student, array, check, variety"
        zeros = '\n\ndef with_zeros(rng: np.random.Generator, *shape: int) -> Numbers:\n    """About a third are 0."""\n' + (
            "    return np.asarray(numbers(rng, *shape) * (rng.random(shape) < 0.7))\n"
        )
        letters, varied = ", ".join(forward.letters), "with_zeros" if about.domain.zeros else "numbers"
        sized = ", ".join(f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})" for sizes in hidden)
        more = (
            f"\n    cases.append(case(rng, {', '.join(str(4 + n) for n in range(len(forward.letters)))}, draw=with_zeros))"
            if about.domain.zeros
            else ""
        )
        return f'''"""The VJP of {forward.name} is compared with autograd, for random upstream gradients and three memory layouts."""

import numpy as np
import torch

from autograder.judge.arrays import Numbers
{imports}
from autograder.judge.checks.autograd import vjp_of
from autograder.judge.checks.vjp import Case, expect_vjp


def {forward.name}({", ".join(f"{name}: torch.Tensor" for name in about.inputs)}) -> torch.Tensor:
{indent(_block(forward_lines(forward, "torch")), "    ")}
    return {forward.result}


TRUTH = vjp_of({forward.name})


{self.drawing()}

{zeros.lstrip() if about.domain.zeros else ""}
def case(rng: np.random.Generator, {self.sizes()}, draw=numbers) -> Case:
    return Case({{{drawn}}}, {about.dimensions(about.result_shape)})


@check("A small example", points=1)
def small_example(student: Student, rng: np.random.Generator) -> None:
    expect_vjp(student, "{self.entry}", TRUTH, [case(rng, {", ".join(map(str, public))})], rng)


@check("Other shapes, also with a single row or column", points=3, hidden=True)
def other_shapes(student: Student, rng: np.random.Generator) -> None:
    cases = [case(rng, *sizes) for sizes in ({sized},)]{more}
    expect_vjp(student, "{self.entry}", TRUTH, cases, rng)


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    for _ in range(4):
        {letters}{"," if len(forward.letters) == 1 else ""} = (int(size) for size in rng.integers(1, 5, size={len(forward.letters)}))
        asked = case(rng, {letters}, draw={varied})
        g = array({"with_zeros" if about.domain.zeros else "numbers"}(rng, *asked.output_shape))
        student.call_and_see("{self.entry}", g, *map(array, asked.inputs.values()))
'''


class _TorchFunction(_Writer):
    kind, profile = "function", "torch"
    concepts = ("torch.autograd.Function", "chain rule", "second derivatives")

    def __init__(self, about: _About) -> None:
        super().__init__(about)
        words = re.split(r"_+", self.forward.name.strip("_"))
        self.entry = "".join(word[:1].upper() + word[1:] for word in words) or "Operation"
        self.signature = f"{self.entry}.apply({', '.join(about.inputs)})"

    def program(self, lines: Sequence[Line], gradients: Sequence[str]) -> str:
        names = ", ".join(self.about.inputs)
        saved = (
            f"{_returned(self.about.inputs)} = ctx.saved_tensors"
            if len(self.about.inputs) > 1
            else f"({names},) = ctx.saved_tensors"
        )
        saved = saved.replace(", =", " =")
        forward = _block(forward_lines(self.forward, "torch"))
        backward = "\n".join(filter(None, (saved, _block(lines), f"return {', '.join(gradients)}")))
        return (
            f"import torch\n\n\nclass {self.entry}(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, {names}):\n"
            f"        ctx.save_for_backward({names})\n{indent(forward, '        ')}\n        return {self.forward.result}\n\n"
            f"    @staticmethod\n    def backward(ctx, g):\n{indent(backward, '        ')}"
        )

    def starter(self) -> str:
        names = ", ".join(self.about.inputs)
        return (
            f"import torch\n\n\nclass {self.entry}(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, {names}):\n"
            '        raise NotImplementedError("your part")\n\n    @staticmethod\n    def backward(ctx, g):\n'
            '        raise NotImplementedError("your part")'
        )

    def statement(self) -> str:
        inputs, upstream, gradients = self.example()
        lines = [
            f"{name} = torch.tensor({_list(values)}, dtype=torch.float64, requires_grad=True)"
            for name, values in inputs.items()
        ]
        given = f"torch.tensor({_list(upstream)}, dtype=torch.float64)"
        lines.append(f"{self.signature}.backward({given})")
        lines += [
            f"{name}.grad  # tensor({_list(np.round(values, 4))}), to four digits" for name, values in gradients.items()
        ]
        return _statement(
            intro=f"Define `{self.forward.name}` as a new torch operation, together with its derivative.",
            source=self.forward.source,
            what=f"`{self.entry}`, a `torch.autograd.Function`. `{self.signature}` returns the same as the function above, and "
            "its backward pass returns the gradients of its inputs. Second derivatives must be correct, too.",
            example="\n".join(lines),
            rules=[
                *self.rules(),
                "`forward` and `backward` are static methods. Save what `backward` needs with `ctx.save_for_backward`.",
                "Do not change the arguments.",
            ],
        )

    def checks(self) -> str:
        about, forward = self.about, self.forward
        public, *hidden = self.some_sizes()
        letters, count = ", ".join(forward.letters), len(forward.letters)
        tuple_of = ", ".join(f"numbers(rng, {', '.join(shape)})" for shape in forward.inputs.values())
        shape = about.dimensions(about.result_shape)
        one = "," if count == 1 else ""
        sized = ", ".join(f"({', '.join(map(str, sizes))}{one})" for sizes in hidden)
        return f'''"""Values, gradients and second derivatives of {self.entry} are compared with torch's autograd."""

import numpy as np
import torch

from autograder.judge.checks import Student, check, variety
from autograder.judge.checks.functions import (
    expect_function_vjp,
    expect_gradcheck,
    expect_gradgradcheck,
    expect_second_vjp,
)

Tensors = tuple[torch.Tensor, ...]


def {forward.name}({", ".join(f"{name}: torch.Tensor" for name in about.inputs)}) -> torch.Tensor:
{indent(_block(forward_lines(forward, "torch")), "    ")}
    return {forward.result}


{self.drawing()}


def inputs(rng: np.random.Generator, {self.sizes()}) -> Tensors:
    return ({tuple_of},)


def upstream(rng: np.random.Generator, {self.sizes()}) -> Tensors:
    return (torch.from_numpy(np.asarray(rng.normal(size={shape}))),)


@check("gradcheck", points=1)
def first_order(student: Student, rng: np.random.Generator) -> None:
    expect_gradcheck(student, "{self.entry}", *inputs(rng, {", ".join(map(str, public))}))


@check("Values and gradients for other shapes", points=2, hidden=True)
def other_shapes(student: Student, rng: np.random.Generator) -> None:
    points = [(inputs(rng, *sizes), upstream(rng, *sizes)) for sizes in ({sized},)]
    expect_function_vjp(student, "{self.entry}", points, {forward.name})


@check("Second derivatives", points=1, hidden=True)
def second_order(student: Student, rng: np.random.Generator) -> None:
    sizes = ({", ".join(map(str, public))}{one})
    expect_gradgradcheck(student, "{self.entry}", *inputs(rng, *sizes), upstream=upstream(rng, *sizes))
    point = inputs(rng, *sizes), upstream(rng, *sizes), inputs(rng, *sizes)
    expect_second_vjp(student, "{self.entry}", [point], {forward.name})


@variety
def anything(student: Student, rng: np.random.Generator) -> None:
    {letters}{one} = (int(size) for size in rng.integers(1, 4, size={count}))
    x, g, gg = inputs(rng, {letters}), upstream(rng, {letters}), inputs(rng, {letters})
    for operation in ("function.vjp", "function.backward"):
        student.operate(operation, [[list(x), list(g)]], name="{self.entry}")
    student.operate("function.second_vjp", [[list(x), list(g), list(gg)]], name="{self.entry}")
'''


def _statement(*, intro: str, source: str, what: str, example: str, rules: Sequence[str]) -> str:
    return "\n\n".join(
        (
            intro,
            f"```python\n{source}\n```",
            f"## What to write\n\n{what}",
            f"## A worked example\n\n```python\n{example}\n```",
            "## The rules\n\n" + "\n".join(f"- {rule}" for rule in rules),
        )
    )


def _list(values: Numbers) -> str:
    return repr(np.asarray(values + 0.0).tolist())


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
