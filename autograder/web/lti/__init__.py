"""Pages for platforms and for people who come from one."""
