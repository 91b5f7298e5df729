"""Begins a draft: from a template, or as a copy of an exercise."""

from typing import Any

from django import forms

from autograder.authoring.publishing import MAX_NOTE
from autograder.courses.models import Course
from autograder.library.catalogue import latest_versions
from autograder.prove import scaffold

TEMPLATE_LABELS = {
    "engine": "Implement _backward of a scalar engine",
    "tensor-engine": "Add an operation to a tensor engine",
    "fix-the-bug": "Fix the bug in code that uses autograd",
    "semantics": "Decide which tensors receive a gradient",
    "vjp": "Write a VJP or a JVP",
    "function": "Write a custom torch.autograd.Function",
    "graph": "Read or walk the graph",
    "higher-order": "Differentiate a derivative",
    "quiz": "Predict what happens",
    "tester": "Write the tester of a backward pass",
}


class NewDraftForm(forms.Form):
    title = forms.CharField(max_length=120, help_text="What students read, such as Softplus, stable and differentiable.")
    slug = forms.CharField(
        max_length=scaffold.LONGEST,
        label="Name in addresses",
        help_text="Lower-case letters, digits and dashes, such as softplus.",
    )
    unit = forms.CharField(max_length=120, initial="Own exercises", help_text="The unit under which it is listed.")

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        templates = [(f"template:{name}", TEMPLATE_LABELS[name]) for name in TEMPLATE_LABELS]
        copies = [(f"copy:{version.exercise.slug}", version.title) for version in latest_versions(course.slug)]
        choices = [("A template that works", templates), ("A copy of", copies)]
        self.fields["start"] = forms.ChoiceField(label="Start from", choices=choices)


class FromFunctionForm(forms.Form):
    """A forward function, of which a complete first draft is made."""

    source = forms.CharField(
        max_length=4000,
        label="Function",
        widget=forms.Textarea(
            attrs={"rows": 6, "spellcheck": "false", "placeholder": "def softplus(x):\n    return np.log(1 + np.exp(x))"}
        ),
        help_text="The forward pass in NumPy or torch. It is read, not run.",
    )
    shapes = forms.CharField(
        max_length=500,
        required=False,
        label="Shapes of the inputs",
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "placeholder": "x: n, m\nb: m"}),
        help_text="A line for each input, with a letter for each dimension. Left out: all are matrices of the same shape.",
    )
    title = forms.CharField(max_length=120, help_text="What students read, such as Softplus, stable and differentiable.")
    slug = forms.CharField(
        max_length=scaffold.LONGEST,
        label="Name in addresses",
        help_text="Lower-case letters, digits and dashes, such as softplus.",
    )
    unit = forms.CharField(max_length=120, initial="Own exercises", help_text="The unit under which it is listed.")


class ZipForm(forms.Form):
    archive = forms.FileField(
        label="Zip", help_text="The folder of an exercise, with exercise.toml, statement.md and checks.py."
    )
    slug = forms.CharField(
        max_length=scaffold.LONGEST,
        label="Name in addresses",
        help_text="Lower-case letters, digits and dashes, such as softplus.",
    )


class SettingsForm(forms.Form):
    """The settings of an exercise that most authors change. The others are in the text of exercise.toml."""

    title = forms.CharField(max_length=120, help_text="What students read.")
    unit = forms.CharField(max_length=120, help_text="The unit under which it is listed.")
    concepts = forms.CharField(
        max_length=500, required=False, help_text="What it teaches, in a few words each, separated by commas."
    )
    difficulty = forms.IntegerField(min_value=1, max_value=5, help_text="From 1, a first step, to 5.")
    minutes = forms.IntegerField(
        min_value=1, max_value=600, required=False, help_text="For a student who reads the statement and tries twice."
    )
    points = forms.FloatField(min_value=0.5, max_value=1000, help_text="The sum of the points of its checks.")
    profile = forms.ChoiceField(
        choices=[("python", "Python only"), ("numpy", "NumPy"), ("torch", "torch and NumPy")],
        label="Libraries",
        help_text="What students can import.",
    )
    cpu_seconds = forms.IntegerField(
        min_value=1, max_value=60, required=False, label="CPU time, in seconds", help_text="Of a whole grading."
    )
    wall_seconds = forms.FloatField(
        min_value=5, max_value=300, required=False, label="Time, in seconds", help_text="At least five times the CPU time."
    )
    public_checks_miss = forms.CharField(
        max_length=500,
        required=False,
        label="Why public checks catch few mistakes",
        help_text="Only if catching more would give the answer away.",
    )
    edition = forms.IntegerField(widget=forms.HiddenInput)


class PublishForm(forms.Form):
    note = forms.CharField(
        max_length=MAX_NOTE,
        label="What is new",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="A sentence for colleagues, who see it in the list of versions.",
    )
