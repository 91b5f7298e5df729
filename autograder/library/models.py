"""Exercises and their versions. A version is the folder as it was when it was loaded, and never changes."""

from typing import Any, NoReturn

from django.db import models


class Exercise(models.Model):
    """A name that versions come and go under."""

    slug = models.SlugField(unique=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug


class ExerciseVersion(models.Model):
    """What an exercise was at one time: all its files, and what a page needs to know without opening them."""

    exercise = models.ForeignKey(Exercise, on_delete=models.PROTECT, related_name="versions")
    hash = models.CharField(max_length=16)
    title = models.CharField(max_length=200)
    unit = models.CharField(max_length=200)
    kind = models.CharField(max_length=20)
    profile = models.CharField(max_length=20)
    points = models.FloatField()
    archive = models.BinaryField()
    loaded_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("exercise", "hash"), name="one_row_for_a_version"),)
        get_latest_by = "id"

    def __str__(self) -> str:
        return f"{self.exercise} {self.hash}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            self.never_changes()
        super().save(*args, **kwargs)

    def never_changes(self) -> NoReturn:
        raise TypeError("a version of an exercise never changes: load the changed folder, which makes a new one")
