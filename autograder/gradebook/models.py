"""What people decide about a grade beyond what is computed."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from autograder.courses.models import Assignment, Membership, User


class Override(models.Model):
    """A score that stands instead of the computed one, until it is taken back. None is ever deleted."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="overrides")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="overrides")
    points = models.DecimalField(max_digits=7, decimal_places=2)
    reason = models.CharField(max_length=500)
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering: ClassVar = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=("assignment", "membership"), name="one_override_stands", condition=Q(undone_at=None)
            ),
            models.CheckConstraint(condition=Q(points__gte=0), name="override_is_not_negative"),
        )

    def __str__(self) -> str:
        return f"{self.points} for {self.membership}, {self.assignment.slug}"
