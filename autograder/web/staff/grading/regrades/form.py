"""Form to start a regrade: of a course, an assignment or chosen submissions, under which version, why, and whether grades
may go down.
"""

import re
from typing import Any

from django import forms

from autograder.courses.models import Assignment, Course
from autograder.library.models import ExerciseVersion
from autograder.submissions.models import Kind, Submission
from autograder.submissions.regrades import MAX_REASON
from autograder.web.access import number_in

ADDRESS = re.compile(r"/submissions/([0-9]+)")
MOST = 1000  # maximum number of submissions in the field
PICK = {"class": "pick"}


class VersionChoice(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.exercise.slug}: {obj.hash[:8]}, {obj.title}"


class AssignmentChoice(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Any) -> str:
        return str(obj.title)


class RegradeForm(forms.Form):
    assignment = AssignmentChoice(
        queryset=Assignment.objects.none(),
        required=False,
        label="Assignment",
        empty_label="All assignments",
        to_field_name="slug",
        widget=forms.Select(attrs=PICK),
    )
    version = VersionChoice(
        queryset=ExerciseVersion.objects.none(),
        required=False,
        label="Version of the exercise",
        empty_label="Current version of each assignment",
        widget=forms.Select(attrs=PICK),
    )
    submissions = forms.CharField(
        required=False,
        label="Only these submissions",
        help_text="The addresses of their pages, separated by spaces. Leave empty for all submissions.",
    )
    reason = forms.CharField(max_length=MAX_REASON, label="Reason", help_text="Shown next to every grade that changes.")
    may_lower = forms.BooleanField(
        required=False, label="Allow lower grades. You can still decide after you have seen the preview."
    )

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.course = course
        assignments = course.assignments.filter(removed_at=None).exclude(version=None)
        self.fields["assignment"].queryset = assignments  # type: ignore[attr-defined]
        exercises = assignments.values("version__exercise_id")
        versions = ExerciseVersion.objects.filter(exercise__in=exercises).select_related("exercise").defer("archive")
        self.fields["version"].queryset = versions.order_by("exercise__slug", "-id")  # type: ignore[attr-defined]

    def clean_submissions(self) -> list[int]:
        words = [word for word in re.split(r"[\s,;]+", self.cleaned_data["submissions"]) if word]
        if len(words) > MOST:
            raise forms.ValidationError(
                f"You entered {len(words)} addresses; the limit is {MOST}. Choose an assignment instead."
            )
        addresses = {}
        for word in words:
            found = ADDRESS.search(word)
            number = number_in(found[1]) if found else None
            if number is None:
                raise forms.ValidationError(f"“{word[:60]}” is not the address of a submission.")
            addresses[number] = word
        there = Submission.objects.filter(pk__in=addresses, assignment__course=self.course, kind=Kind.SUBMIT)
        for number in addresses.keys() - set(there.values_list("pk", flat=True)):
            raise forms.ValidationError(f"“{addresses[number][:60]}” is not the address of a submission in this course.")
        return list(addresses)

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        assignment, version = found.get("assignment"), found.get("version")
        if assignment and version and assignment.exercise_version.exercise_id != version.exercise_id:
            self.add_error("version", f"This version does not belong to the exercise of {assignment.title}.")
        return found
