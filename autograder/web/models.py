"""What is remembered of those who ask, so that nobody may ask too often: by the keyed hash of a name or an address, never by
itself. It is kept in the database, where all web processes see the same; a row that says nothing any more is swept away.
"""

from django.db import models


class Pace(models.Model):
    """One that asks for one kind of thing. Asked as fast as it may be, `free_at` runs with the clock."""

    key = models.CharField(max_length=64, primary_key=True)
    free_at = models.FloatField(db_index=True, help_text="when nothing of what was asked counts any more, in Unix seconds")

    def __str__(self) -> str:
        return self.key


class Guess(models.Model):
    """Passwords that were wrong: for one account from one address, for one account, or from one address."""

    key = models.CharField(max_length=64, primary_key=True)
    failures = models.PositiveIntegerField(default=0)
    last_at = models.DateTimeField(db_index=True)
    pending = models.PositiveIntegerField(default=0, db_default=0, help_text="passwords that are being checked")
    pending_at = models.DateTimeField(null=True, blank=True, help_text="when the latest of them was begun")
    known_at = models.DateTimeField(null=True, blank=True, help_text="when it was right last")

    class Meta:
        verbose_name_plural = "guesses"

    def __str__(self) -> str:
        return self.key
