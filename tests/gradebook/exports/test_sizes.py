"""A thousand students and sixty assignments in every format: the file is complete. The duration is only printed."""

import time
from dataclasses import replace
from decimal import Decimal

import pytest

from autograder.gradebook.exports import EXPORTS
from autograder.gradebook.grades.sheet import AssignmentColumn, GradeCell, GradeSheet, StudentRow
from tests.gradebook.exports.cast import DAY, ONEROSTER

STUDENTS, COLUMNS = 1_000, 60


@pytest.fixture(scope="module")
def sheet() -> GradeSheet:
    students = tuple(
        StudentRow(n, f"s{n}", f"s{n}@example.org", "Zoë", f"O'Hara {n}", "Monday", str(5000 + n), f"S-{n:04}")
        for n in range(STUDENTS)
    )
    columns = tuple(AssignmentColumn(n, f"a{n}", f"Exercise {n}", Decimal(10), f"Unit {n // 10}") for n in range(COLUMNS))
    cells = {
        (s, c): GradeCell(Decimal(s * c % 1001) / 100, late=s % 7 == 0) for s in range(STUDENTS) for c in range(COLUMNS)
    }
    return GradeSheet("large", "Large", "UTC", students, columns, cells)


def downloaded(sheet: GradeSheet) -> bytes:
    head = ['"Last Name","First Name","Username"', *(f'"Exercise {n} [Total Pts: 10 Score] |{n}"' for n in range(COLUMNS))]
    rows = [",".join([f'"{s.last_name}","{s.first_name}","{s.login}"', *['""'] * COLUMNS]) for s in sheet.students]
    return "\r\n".join([",".join(head), *rows]).encode()


@pytest.mark.parametrize("name", EXPORTS)
def test_a_large_course(sheet: GradeSheet, name: str) -> None:
    options = replace(ONEROSTER, template=downloaded(sheet), day=DAY)
    began = time.process_time()
    assert EXPORTS[name].unmatched(sheet, options) == []
    EXPORTS[name].refuse(sheet, options)
    data = EXPORTS[name].write(sheet, options)
    print(f"{name}: {time.process_time() - began:.2f} s, {len(data):,} bytes")
    assert len(data) > 50_000
    if EXPORTS[name].extension == "csv":
        assert data.count(b"\r\n") == STUDENTS + (2 if name == "canvas" else 1)
