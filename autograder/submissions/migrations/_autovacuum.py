"""How often PostgreSQL tidies the queue."""

from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

# Every claim leaves a dead row at the head of the queue's index. By PostgreSQL's own measure (a fifth of the table) a table
# that keeps all work for good would be tidied once a term.
OFTEN = {
    "autovacuum_vacuum_scale_factor": "0",
    "autovacuum_vacuum_threshold": "2000",
    "autovacuum_analyze_scale_factor": "0",
    "autovacuum_analyze_threshold": "2000",
}


def tidy_often(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        wanted = ", ".join(f"{name} = {value}" for name, value in OFTEN.items())
        editor.execute(f"ALTER TABLE submissions_work SET ({wanted})")


def tidy_as_usual(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute(f"ALTER TABLE submissions_work RESET ({', '.join(OFTEN)})")
