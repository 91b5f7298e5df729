"""Drafts of exercises, which belong to a course, and their files. A published version is a `library.ExerciseVersion`."""

from django.conf import settings
from django.db import models

from autograder.courses.models import Course
from autograder.library.models import ExerciseVersion


class Draft(models.Model):
    """An exercise that is being written. `edition` counts its changes, and a proof is about one edition."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="drafts")
    slug = models.SlugField(max_length=60)
    title = models.CharField(max_length=200)
    edition = models.PositiveIntegerField(default=1)
    based_on = models.ForeignKey(ExerciseVersion, on_delete=models.SET_NULL, null=True, related_name="+")
    wants_reader = models.BooleanField(
        default=False, help_text="A second reader approves an edition before it is published."
    )
    read_edition = models.PositiveIntegerField(default=0, help_text="The edition that was approved, or 0.")
    read_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField()
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    removed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("course", "slug"), name="one_draft_of_a_slug"),)

    def __str__(self) -> str:
        return self.slug


class DraftFile(models.Model):
    """A file of a draft. `edition` is that of the draft when it was last changed: who saves an older one is told."""

    draft = models.ForeignKey(Draft, on_delete=models.CASCADE, related_name="files")
    path = models.CharField(max_length=200)
    text = models.TextField(blank=True)
    edition = models.PositiveIntegerField()
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    changed_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("draft", "path"), name="one_file_of_a_path"),)

    def __str__(self) -> str:
        return self.path


class Visit(models.Model):
    """Who has a draft open, and at which file. The page tells it every few seconds."""

    draft = models.ForeignKey(Draft, on_delete=models.CASCADE, related_name="visits")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    path = models.CharField(max_length=200, blank=True)
    seen_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("draft", "user"), name="one_visit_of_a_person"),)

    def __str__(self) -> str:
        return f"{self.user} at {self.path}"


class DraftProof(models.Model):
    """What a worker found out about an edition of a draft. There is one for a draft, which each new proof replaces.

    `wanted` is the edition that is to be proved. A worker that proves it renews `alive_at`; one that has not for a while has
    died, and another may begin.
    """

    draft = models.OneToOneField(Draft, on_delete=models.CASCADE, related_name="proof")
    wanted = models.PositiveIntegerField()
    wanted_at = models.DateTimeField()
    running = models.PositiveIntegerField(default=0, help_text="The edition that a worker proves now, or 0.")
    worker = models.CharField(max_length=120, blank=True, default="")
    alive_at = models.DateTimeField(null=True)
    done = models.PositiveIntegerField(default=0, help_text="Jobs of the running proof that are done.")
    of = models.PositiveIntegerField(default=0)
    tries = models.PositiveSmallIntegerField(default=0)
    opened = models.PositiveIntegerField(default=0, help_text="The edition whose `checks` are known, or 0.")
    edition = models.PositiveIntegerField(default=0, help_text="The edition that `found` is about, or 0.")
    found = models.JSONField(null=True, help_text="A `prove.findings.Proof`.")
    checks = models.JSONField(default=list, help_text="The checks that the opened edition declares.")
    trouble = models.TextField(blank=True, default="", help_text="Why the edition could not be proved.")
    seconds = models.FloatField(default=0.0)
    proved_at = models.DateTimeField(null=True)

    class Meta:
        indexes = (models.Index(fields=("wanted_at",), name="proofs_in_order"),)

    def __str__(self) -> str:
        return f"proof of {self.draft} {self.edition}"


class ProofMemory(models.Model):
    """What the next proof of a draft need not find out again. Only an examiner of the same draft reads `known`."""

    proof = models.OneToOneField(DraftProof, on_delete=models.CASCADE, related_name="memory", primary_key=True)
    release = models.CharField(max_length=32, help_text="The hash of the code that found it.")
    known = models.BinaryField()

    def __str__(self) -> str:
        return f"memory of the {self.proof}"


class Publication(models.Model):
    """A version that a course has published, with what its author wrote about it."""

    version = models.OneToOneField(ExerciseVersion, on_delete=models.CASCADE, related_name="publication")
    draft = models.ForeignKey(Draft, on_delete=models.SET_NULL, null=True, related_name="publications")
    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="publications")
    number = models.PositiveIntegerField()
    note = models.TextField()
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    published_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("course", "version"), name="one_publication_of_a_version"),)

    def __str__(self) -> str:
        return f"{self.version} as number {self.number}"
