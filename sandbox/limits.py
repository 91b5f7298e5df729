"""The layers of the sandbox, by name, and which of them a development sandbox does without."""

LAYERS = {
    "user": "a dedicated unprivileged user",
    "namespaces": "namespaces of its own for every submission (user, pid, net, ipc, uts, mount, cgroup)",
    "read-only": "interpreter, packages and guest mounted read-only, nothing else of the machine",
    "tmpfs": "a private, small, empty /tmp and /dev/shm that cannot execute",
    "proc": "an empty /proc",
    "environment": "an empty environment",
    "rlimits": "limits on memory, CPU, processes, file size and descriptors",
    "capabilities": "no capabilities, no way to gain any, no tracing",
    "seccomp": "an allow-list of system calls",
    "inner-timer": "a wall timer in the zygote",
    "outer-timer": "a longer wall timer in the judge",
    "output": "a cap on what is printed",
    "clean-zygote": "a zygote with one thread, frozen, that holds no secret",
}
