"""`python -m tests.benchmarks.gradebook`: a thousand students by sixty assignments, twice graded each, read and exported."""

import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from tests.benchmarks.engine import row

SHEET, EXPORT = 1.0, 3.0  # seconds
QUERIES = 12


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"DATABASE_URL": f"sqlite:///{Path(folder) / 'gradus.sqlite3'}", "GRADUS_DATA": folder}
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        print(f"{'gradebook of 1,000 x 60':<66} {'measured':>18} {'must reach':>16}")
        measure()


def measure() -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from autograder.gradebook.exports import EXPORTS
    from autograder.gradebook.sheet import sheet_of
    from tests.gradebook.exports.cast import ONEROSTER
    from tests.gradebook.exports.test_sizes import downloaded
    from tests.gradebook.large import large_course

    course = large_course()
    sheet_of(course)  # what is made once is made
    with CaptureQueriesContext(connection) as queries:
        began = time.process_time()
        sheet = sheet_of(course)
        read = time.process_time() - began
    row("the sheet, from 120,000 gradings", f"{read:.2f} s", f"< {SHEET:g} s", read < SHEET)
    row("queries for it", str(len(queries)), f"<= {QUERIES}", len(queries) <= QUERIES)
    options = replace(ONEROSTER, template=downloaded(sheet))
    for name, to in EXPORTS.items():
        began = time.process_time()
        assert not to.unmatched(sheet, options)
        to.refuse(sheet, options)
        to.write(sheet, options)
        took = read + time.process_time() - began
        row(f"export for {name}, with the sheet", f"{took:.2f} s", f"< {EXPORT:g} s", took < EXPORT)


if __name__ == "__main__":
    main()
