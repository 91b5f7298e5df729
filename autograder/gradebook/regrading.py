"""Lets a regrade count, where the gradebook is open. Whoever commits a regrade does it through here."""

from collections.abc import Sequence

from django.db import transaction

from autograder.courses.models import User
from autograder.gradebook.frozen import refuse_if_frozen
from autograder.submissions import regrades
from autograder.submissions.models import Batch
from autograder.submissions.regrades import Change


def commit(batch: Batch, *, by: User) -> Sequence[Change]:
    """As `regrades.commit`. The preview of a frozen course may wait until it is open again, or be discarded."""
    with transaction.atomic():
        refuse_if_frozen(batch.course, "a regrade cannot change scores now")
        return regrades.commit(batch, by=by)
