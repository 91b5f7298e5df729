"""State of the rate limits and the login throttle, keyed by a keyed hash of a name or an address.

The names and addresses themselves are not stored. The tables are in the database so that all web processes share them.
Expired rows are deleted.
"""

from django.db import models


class Pace(models.Model):
    """Rate limit state of one client for one kind of request. At the maximum rate, `free_at` advances with the clock."""

    key = models.CharField(max_length=64, primary_key=True)
    free_at = models.FloatField(db_index=True, help_text="when nothing of what was asked counts any more, in Unix seconds")

    def __str__(self) -> str:
        return self.key


class Guess(models.Model):
    """Failed logins of one account from one address, of one account, or from one address."""

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
