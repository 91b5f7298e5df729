"""Fields and bases of the forms on staff pages. Forms validate what a field alone can show; services check the rest."""

from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from django import forms
from django.utils import timezone

from autograder.courses.errors import Refused
from autograder.courses.models import Course, Section
from autograder.courses.setup.timezones import END_OF_DAY, moment_of

ACCEPTED_TABLES = ".csv,.tsv,.txt,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
YEARS = range(1970, 3000)
OUT_OF_YEARS = f"Enter a year between {YEARS[0]} and {YEARS[-1]}."
DATETIME_FORMAT = "%Y-%m-%dT%H:%M"


class CourseDateTimeField(forms.DateTimeField):
    """A date and time in the course's time zone. For a date alone, the time is `of_a_date`."""

    def __init__(self, *, of_a_date: time = END_OF_DAY, **kwargs: Any) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=DATETIME_FORMAT)
        super().__init__(required=False, widget=widget, **kwargs)
        self.of_a_date = of_a_date

    def to_python(self, value: Any) -> datetime | None:
        if not isinstance(value, str) or not value.strip():
            return super().to_python(value)
        try:
            return moment_of(value.strip(), timezone.get_current_timezone(), self.of_a_date)
        except Refused as refused:
            raise forms.ValidationError(refused.message, code="clocks") from None
        except ValueError:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid") from None
        except OverflowError:
            raise forms.ValidationError(OUT_OF_YEARS, code="year") from None

    def validate(self, value: datetime | None) -> None:
        super().validate(value)
        _check_year(value)


class DayField(forms.DateField):
    """A day in the years of `YEARS`: earlier and later ones cannot be converted between time zones."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=False, widget=forms.DateInput(attrs={"type": "date"}), **kwargs)

    def validate(self, value: date | None) -> None:
        super().validate(value)
        _check_year(value)


def _check_year(day: date | None) -> None:
    if day is not None and day.year not in YEARS:
        raise forms.ValidationError(OUT_OF_YEARS, code="year")


class PercentField(forms.DecimalField):
    """A percentage."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=Decimal(0), max_value=Decimal(100), max_digits=4, decimal_places=1, **kwargs)


class DatesForm(forms.Form):
    """Checks that the dates are in order."""

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        for earlier, later, words in (
            ("opens_at", "due_at", "The due date is before the opening date."),
            ("due_at", "closes_at", "The closing date is before the due date."),
            ("opens_at", "closes_at", "The closing date is before the opening date."),
            ("due_at", "no_credit_after", "This date is before the due date."),
        ):
            first, then = found.get(earlier), found.get(later)
            if first and then and then < first and not self.has_error(later):
                self.add_error(later, words)
        return found


class SectionField(forms.ModelChoiceField):  # type: ignore[type-arg]
    """Shows the name of a section without its course."""

    def label_from_instance(self, obj: Section) -> str:
        return obj.name


class InSectionForm(forms.Form):
    """A form with a choice of the course's sections."""

    section = SectionField(queryset=Section.objects.none(), required=False, label="Section", empty_label="none")

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["section"].queryset = course.sections.order_by("name")  # type: ignore[attr-defined]
