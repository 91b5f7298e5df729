"""`python -m tests.submissions.acknowledging COUNT`: does what pages confirm as saved, and prints the number of rows.

It waits for a line of input before it starts and before it ends, and keeps its database connection open like the
processes of a site: the last connection that closes an SQLite database flushes everything to disk.
"""

import json
import os
import sys
from decimal import Decimal


def main(count: int) -> None:
    import django

    django.setup()
    from autograder.gradebook.decisions.overrides import override
    from autograder.gradebook.models import Override
    from autograder.submissions.handing_in.drafts import draft_save
    from autograder.submissions.models import Draft, Submission, Work
    from tests.cast import Cast

    cast = Cast()
    ada = cast.membership("ada")
    print("ready", flush=True)
    sys.stdin.readline()
    for _ in range(count):
        cast.hands_in("ada")
    draft_save(assignment=cast.assignment, membership=ada, source="half a thought", seen=0)
    override(assignment=cast.assignment, membership=ada, points=Decimal(7), reason="by hand", by=cast.staff)
    print(
        json.dumps({model._meta.db_table: model.objects.count() for model in (Submission, Work, Draft, Override)}),
        flush=True,
    )
    sys.stdin.readline()


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
    main(int(sys.argv[1]))
