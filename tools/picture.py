"""Creates the picture of a report for the README: grades a wrong submission and saves the terminal output as SVG."""

import io
import os
import sys
from pathlib import Path

import msgspec
from rich.console import Console
from rich.terminal_theme import TerminalTheme

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from autograder.explain.batch import GradedSource, explained, rehearse  # noqa: E402
from autograder.explain.diagnosis import prediction  # noqa: E402
from autograder.judge import pack  # noqa: E402
from autograder.judge.grade import Judge  # noqa: E402
from autograder.library import terminal  # noqa: E402
from sandbox.backends.bubblewrap import Bubblewrap  # noqa: E402

WRONG = "overwrites-instead-of-accumulating~3"
PAPER, INK = (250, 249, 245), (32, 33, 36)
COLOURS = [INK, (178, 38, 30), (26, 110, 60), (150, 96, 0), (30, 80, 160), (120, 50, 150), (0, 105, 120), (90, 90, 90)]
FRAME = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
font-size: {char_height}px; line-height: {line_height}px; }} {styles}</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}</defs>
<rect width="100%" height="100%" rx="8" fill="#faf9f5" stroke="#d8d5cc"/>
<g transform="translate({terminal_x}, 18)" clip-path="url(#{unique_id}-clip-terminal)">{backgrounds}
<g class="{unique_id}-matrix" xml:space="preserve">{matrix}</g></g>
</svg>
"""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "autograder.settings")
    exercise = pack.load(pack.find(ROOT / "exercises", "value-engine"))
    with Judge(Bubblewrap()) as judge:
        rehearse(judge, exercise)
        report = judge.grade(exercise, exercise.wrong[WRONG], seed=3)
        _, explanations = explained(judge, exercise, GradedSource(exercise.wrong[WRONG], report, prediction.FOLDER))
    console = Console(
        record=True, file=io.StringIO(), width=104, force_terminal=True, color_system="standard", highlight=False
    )
    terminal.show_report(console, "engine.py", msgspec.structs.replace(report, seconds=round(report.seconds, 3)))
    terminal.show_explanations(console, report, explanations)
    theme = TerminalTheme(PAPER, INK, COLOURS, COLOURS)
    target = ROOT / "docs" / "images" / "report.svg"
    target.parent.mkdir(exist_ok=True)
    target.write_text(console.export_svg(title="", theme=theme, code_format=FRAME, unique_id="report"))


if __name__ == "__main__":
    main()
