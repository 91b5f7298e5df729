"""Exercises and their versions. A version is a snapshot of the exercise's folder when it was loaded, and never changes."""

from typing import Any, ClassVar, NoReturn

from django.db import models


class Unchanging(models.QuerySet[Any]):
    """An append-only queryset: rows can be added, but not updated or deleted in bulk."""

    def update(self, **values: Any) -> NoReturn:
        self._stay()

    def bulk_update(self, *args: Any, **options: Any) -> NoReturn:
        self._stay()

    def delete(self) -> NoReturn:
        self._stay()

    def _stay(self) -> NoReturn:
        raise TypeError(f"{self.model._meta.verbose_name_plural} cannot be changed or deleted")


class Exercise(models.Model):
    """An exercise, identified by its slug. Its content is in its versions."""

    slug = models.SlugField(unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    owner = models.CharField(
        max_length=50,
        blank=True,
        default="",
        help_text="The slug of the course that wrote it. Empty: the operator loaded it.",
    )
    shared = models.BooleanField(default=False, help_text="Other courses may assign it, too.")
    withdrawn_at = models.DateTimeField(null=True, blank=True, help_text="Since when it cannot be assigned any more.")

    def __str__(self) -> str:
        return self.slug


class ExerciseVersion(models.Model):
    """A snapshot of an exercise: all its files, and the metadata that pages need without opening them."""

    exercise = models.ForeignKey(Exercise, on_delete=models.PROTECT, related_name="versions")
    hash = models.CharField(max_length=16)
    title = models.CharField(max_length=200)
    unit = models.CharField(max_length=200)
    kind = models.CharField(max_length=20)
    profile = models.CharField(max_length=20)
    points = models.FloatField()
    archive = models.BinaryField()
    loaded_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[models.Manager["ExerciseVersion"]] = Unchanging.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("exercise", "hash"), name="one_row_for_a_version"),)
        get_latest_by = "id"

    def __str__(self) -> str:
        return f"{self.exercise} {self.hash}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            self.never_changes()
        super().save(*args, **{**kwargs, "force_insert": True})

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        self.never_changes()

    def never_changes(self) -> NoReturn:
        raise TypeError("a version of an exercise never changes: load the changed folder, which creates a new version")


class VersionPage(models.Model):
    """The content of a version for pages. It is derived from the version and is recreated when the rendering changes."""

    version = models.OneToOneField(ExerciseVersion, on_delete=models.CASCADE, related_name="page")
    made_by = models.PositiveSmallIntegerField()
    summary = models.TextField(help_text="Clean HTML: the first sentence of the statement.")
    statement = models.TextField(help_text="Clean HTML.")
    starter = models.TextField()
    file_name = models.CharField(max_length=200, default="", help_text="What the author calls the file; may be empty.")
    files = models.JSONField(null=True, help_text="The files of an exercise of several files; null for a single one.")
    calls = models.TextField(blank=True, default="", help_text="What the scratch cell begins with.")
    math = models.BooleanField(help_text="Whether the statement has formulas.")
    checks = models.JSONField()
    difficulty = models.PositiveSmallIntegerField(null=True, help_text="1 to 5.")
    minutes = models.PositiveSmallIntegerField(null=True, help_text="The author's estimate of the time needed.")
    concepts = models.JSONField(default=list, help_text="What the exercise teaches, in a few words each.")

    def __str__(self) -> str:
        return f"page of {self.version}"


class UnitPage(models.Model):
    """The page that opens a unit of the curriculum, from the file `unit.md` beside its exercises."""

    title = models.CharField(max_length=200, unique=True)
    slug = models.SlugField(max_length=200, unique=True)
    text = models.TextField(help_text="Clean HTML.")
    math = models.BooleanField(help_text="Whether the text has formulas.")

    def __str__(self) -> str:
        return self.title
