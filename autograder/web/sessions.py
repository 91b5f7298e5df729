"""Sessions in the database that end: after so long without a visit (SESSION_COOKIE_AGE, put off by visits), and after
SESSION_LONGEST however many visits there were. Who changes a password ends all others: Django compares a hash of it.
"""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.utils import timezone

BEGAN = "began"  # in the session: when somebody signed in, in seconds
PUT_OFF = 24  # the end is put off when a part of this size of the idle time has gone: hardly ever a write


class SessionStore(db.SessionStore):
    """Django's own, with a last hour. The name is Django's, too."""

    def load(self) -> dict[str, Any]:
        row = self._get_session_from_db()  # type: ignore[attr-defined]
        return self._within(row, put_off=True) if row else {}

    async def aload(self) -> dict[str, Any]:
        """For streams: they come after the page that opens them, and would hold the connection that a write opens."""
        row = await self._aget_session_from_db()  # type: ignore[attr-defined]
        return self._within(row, put_off=False) if row else {}

    def _within(self, row: Session, *, put_off: bool) -> dict[str, Any]:
        data: dict[str, Any] = self.decode(row.session_data)
        now = timezone.now()
        if SESSION_KEY in data and BEGAN not in data:  # from before there was a last hour
            data[BEGAN], self.modified = now.timestamp(), put_off
        if now.timestamp() - data.get(BEGAN, now.timestamp()) > settings.SESSION_LONGEST.total_seconds():
            self._session_key = None
            return {}
        idle = timedelta(seconds=settings.SESSION_COOKIE_AGE)
        if put_off and SESSION_KEY in data and row.expire_date - now < idle - idle / PUT_OFF:
            self.modified = True
        return data


def begin(*, request: HttpRequest, **_: object) -> None:
    """Called when somebody signs in, with the new key that Django gives the session then."""
    request.session[BEGAN] = timezone.now().timestamp()
