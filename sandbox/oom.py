"""Reads the kernel's counter of processes killed for lack of memory."""

COUNTED = "/proc/vmstat"


def kills() -> int | None:
    """Return the number of kills since boot, or None if the kernel does not report it."""
    try:
        with open(COUNTED) as file:
            return next((int(line.split()[1]) for line in file if line.startswith("oom_kill ")), None)
    except OSError:
        return None
