"""Whether the machine ends processes for want of memory, as its kernel counts them."""

COUNTED = "/proc/vmstat"


def kills() -> int | None:
    """So many since the machine was started; None where the kernel does not say."""
    try:
        with open(COUNTED) as file:
            return next((int(line.split()[1]) for line in file if line.startswith("oom_kill ")), None)
    except OSError:
        return None
