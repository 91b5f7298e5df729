"""`python -m bench.memory`: the memory that a slot's warm zygotes occupy, for the table in docs/containers.md.

What several processes share is divided among them, so the figures can be added.
"""

from autograder.examiner.examiners import Examiners
from autograder.library.sandboxes import backend
from sandbox.packages import EXAMINER
from sandbox.pool import AnySandbox
from sandbox.selfcheck import descendants

PROFILES = ("python", "numpy", "torch", EXAMINER)
MB = 1_000_000


def main() -> None:
    with Examiners(backend()) as slot:
        opened = {profile: slot.sandbox(profile) for profile in PROFILES}
        for sandbox in opened.values():
            sandbox.wait_until_warm()
        occupied = {profile: _bytes_of(sandbox) for profile, sandbox in opened.items()}
    for profile, size in occupied.items():
        print(f"warm zygote and its spare, {profile:<10} {size / MB:>5.0f} MB")
    print(f"all of a slot {sum(occupied.values()) / MB:>30.0f} MB")


def _bytes_of(sandbox: AnySandbox) -> int:
    return sum(_field(pid, "Pss") for pid in descendants(sandbox.launcher_pid or 0))


def _field(pid: int, name: str) -> int:
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) * 1024 for line in file if line.startswith(f"{name}:"))


if __name__ == "__main__":
    main()
