"""SQLite whose writers wait in line.

One connection at a time can write. The others try again after random pauses, so that of many threads that write at once some
are overtaken until they give up: "database is locked". Here, the threads of a process write in the order in which they asked,
and SQLite's own waiting is left for other processes, of which there are few.
"""

import os
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

from autograder.sqlite import collation
from autograder.sqlite.turns import Turns

WRITES = ("BEGIN", "INSERT", "UPDATE", "DELETE", "REPLACE")  # reads outside of a transaction never wait
_turns: defaultdict[str, Turns] = defaultdict(Turns)  # by database
os.register_at_fork(after_in_child=_turns.clear)


class DatabaseWrapper(base.DatabaseWrapper):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._turn: Turns | None = None
        self.execute_wrappers.append(self._in_turn)

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        connection.create_collation(collation.NAME, collation.compare)
        return connection

    def _in_turn(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        """Run a statement. A transaction keeps its turn until it ends; a single statement gives it back."""
        if self._turn is not None or not sql.lstrip()[:8].upper().startswith(WRITES):
            return execute(sql, params, many, context)
        self._take_turn()
        try:
            result = execute(sql, params, many, context)
        except BaseException:
            self._give_turn()
            raise
        if not self.in_transaction:
            self._give_turn()
        return result

    @property
    def in_transaction(self) -> bool:
        return self.connection is not None and bool(self.connection.in_transaction)

    def _take_turn(self) -> None:
        turns = _turns[str(self.settings_dict["NAME"])]
        if not turns.take(self.settings_dict["OPTIONS"].get("timeout", 5)):
            raise OperationalError("database is locked")
        self._turn = turns

    def _give_turn(self) -> None:
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.give()

    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._give_turn()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._give_turn()

    def _close(self) -> None:
        """Called also inside a transaction, which then neither commits nor rolls back."""
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._give_turn()
