"""Database sessions with an idle time-out (SESSION_COOKIE_AGE, extended by visits) and an absolute one (SESSION_LONGEST).

A password change ends all other sessions, because Django compares a hash of it.
"""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.utils import timezone

BEGAN = "began"  # session key: time of the login, in Unix seconds
PUT_OFF = 24  # the expiry is extended once 1/24 of the idle time has passed, which keeps writes rare


class SessionStore(db.SessionStore):
    """Django's database session store with an absolute time-out. Django requires the class name."""

    def load(self) -> dict[str, Any]:
        row = self._get_session_from_db()  # type: ignore[attr-defined]
        return self._within(row, put_off=True) if row else {}

    async def aload(self) -> dict[str, Any]:
        """Load a session for an event stream, without a write: the stream follows the page that opens it, and a write
        would keep its database connection open.
        """
        row = await self._aget_session_from_db()  # type: ignore[attr-defined]
        return self._within(row, put_off=False) if row else {}

    def _within(self, row: Session, *, put_off: bool) -> dict[str, Any]:
        data: dict[str, Any] = self.decode(row.session_data)
        now = timezone.now()
        if SESSION_KEY in data and BEGAN not in data:  # created before the absolute time-out was introduced
            data[BEGAN], self.modified = now.timestamp(), put_off
        if now.timestamp() - data.get(BEGAN, now.timestamp()) > settings.SESSION_LONGEST.total_seconds():
            self._session_key = None
            return {}
        idle = timedelta(seconds=settings.SESSION_COOKIE_AGE)
        if put_off and SESSION_KEY in data and row.expire_date - now < idle - idle / PUT_OFF:
            self.modified = True
        return data


def begin(*, request: HttpRequest, **_: object) -> None:
    """Record the login time. Called at login, after Django has given the session a new key."""
    request.session[BEGAN] = timezone.now().timestamp()
