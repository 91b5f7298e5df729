"""The migration state of a database, the tables in any such state, and migrating an empty database to a state."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from django.apps.registry import Apps
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from autograder import __version__
from autograder.courses.errors import Refused

Key = tuple[str, str]  # app and name of a migration


class StepwiseLoader(MigrationLoader):
    """The migrations without those that replace several others, so that every state in between can be reached."""

    def load_disk(self) -> None:
        super().load_disk()
        last = {key: migration.replaces[-1] for key, migration in self.disk_migrations.items() if migration.replaces}
        self.disk_migrations = {key: each for key, each in self.disk_migrations.items() if key not in last}
        for migration in self.disk_migrations.values():
            migration.dependencies = [last.get(key, key) for key in migration.dependencies]  # type: ignore[misc]  # an instance has a copy
        self.replacing = frozenset(last)


def stepwise_executor(connection: BaseDatabaseWrapper) -> MigrationExecutor:
    executor = MigrationExecutor(connection)
    executor.loader = StepwiseLoader(connection)
    return executor


class Schema:
    """The migrations of this code, and those applied to this database. Replacing migrations are no part of a state."""

    def __init__(self, connection: BaseDatabaseWrapper) -> None:
        self._connection = connection
        self._loader = StepwiseLoader(connection)
        self.applied = self._applied(self._loader)

    @staticmethod
    def _applied(loader: StepwiseLoader) -> frozenset[Key]:
        return frozenset(loader.applied_migrations) - loader.replacing

    def refuse_newer_database(self) -> None:
        strange = self.unknown(self.applied)
        if strange:
            raise Refused(
                f"This database belongs to a later version of Gradus: {__version__} does not know the migration "
                f"{_named(strange)}. Use the version that created its tables."
            )

    def unknown(self, keys: frozenset[Key]) -> frozenset[Key]:
        known: frozenset[Key] = frozenset(self._loader.graph.nodes)
        return keys - known

    def is_whole(self, keys: frozenset[Key]) -> bool:
        """Return whether a database can be in this state: every migration with all its dependencies."""
        nodes = self._loader.graph.node_map
        return all(parent.key in keys for key in keys for parent in nodes[key].parents)

    def models_at(self, keys: frozenset[Key]) -> Apps:
        return self._loader.project_state(sorted(keys)).apps

    def reach(self, keys: frozenset[Key]) -> None:
        """Migrate forward until exactly these migrations are applied."""
        if keys == frozenset(self._loader.graph.nodes):
            executor = MigrationExecutor(self._connection)
            executor.migrate(executor.loader.graph.leaf_nodes())
        else:
            stepwise_executor(self._connection).migrate(self._last_of_each_app(keys))
        reached = self._applied(StepwiseLoader(self._connection))
        if reached != keys:
            raise Refused(f"The tables cannot be migrated to the state of the archive because of {_named(reached ^ keys)}.")

    def _last_of_each_app(self, keys: frozenset[Key]) -> list[Key]:
        """Return the last migrations of each app. Earlier ones as targets would be understood as migrating backwards."""
        nodes = self._loader.graph.node_map
        return [key for key in sorted(keys) if not any(c.key in keys and c.key[0] == key[0] for c in nodes[key].children)]


def as_lists(keys: frozenset[Key]) -> dict[str, list[str]]:
    return {app: [name for _, name in group] for app, group in groupby(sorted(keys), key=lambda key: key[0])}


def as_keys(lists: Mapping[str, Sequence[str]]) -> frozenset[Key]:
    return frozenset((app, name) for app, names in lists.items() for name in names)


def _named(keys: frozenset[Key]) -> str:
    first, *rest = (f"{app}.{name}" for app, name in sorted(keys))
    return f"{first} and {len(rest)} more" if rest else first
