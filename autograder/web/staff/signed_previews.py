"""Previews of imports. The rows travel, signed, in a form field from the preview to the import."""

from typing import Any

from django.core import signing

from autograder.courses.errors import Refused
from autograder.courses.models import Membership

GOOD_FOR = 3600  # seconds for which a preview is valid
MAX_CHARACTERS = 900_000  # in a form field; forms may have up to 1 MiB


def sign(rows: object, salt: str) -> str:
    signed = signing.dumps(rows, salt=salt, compress=True)
    if len(signed) > MAX_CHARACTERS:
        raise Refused("The file is too large to preview. Split it and import the parts one after the other.")
    return signed


def unsign(signed: str, salt: str, words: str, *, again: str = "Choose the file again.") -> Any:
    """Return the rows. `words` say whose preview is accepted, and `again` how to get another one."""
    try:
        return signing.loads(signed, salt=salt, max_age=GOOD_FOR)
    except signing.BadSignature:
        raise Refused(f"This preview has expired{words} {again}") from None


def salt_for(page: str, staff: Membership) -> str:
    """Bind a preview to the course and the user it was created for."""
    return f"{page}:{staff.course_id}:{staff.user_id}"
