"""The layers of the sandbox by name: a description of each, and how to provide it if it is missing."""

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

CURES = {
    "user": "start the worker as root (it gives the sandbox a uid of its own) or as an ordinary user; never uid 0 inside",
    "namespaces": (
        "install bubblewrap and util-linux (apt-get install bubblewrap util-linux) and allow unprivileged user namespaces: "
        "sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=15000; on Ubuntu 23.10 or later also "
        "kernel.apparmor_restrict_unprivileged_userns=0"
    ),
    "read-only": "use the bubblewrap backend; a plain process sees the whole machine",
    "tmpfs": "allow mounting tmpfs in user namespaces (a container needs a seccomp profile that permits mount)",
    "proc": "allow mounting tmpfs in user namespaces (a container needs a seccomp profile that permits mount)",
    "environment": "use the bubblewrap backend, which starts from an empty environment",
    "rlimits": "this kernel does not enforce resource limits here; do not run as uid 0 in a user namespace",
    "capabilities": "use the bubblewrap backend on a kernel of 5.10 or later",
    "seccomp": "install libseccomp2 (apt-get install libseccomp2) and use a kernel with CONFIG_SECCOMP_FILTER",
    "inner-timer": "the zygote does not end jobs on time; its log says more",
    "outer-timer": "the judge does not end jobs on time; report this as a bug",
    "output": "the judge does not cap output; report this as a bug",
    "clean-zygote": "the zygote has threads or leftovers; look for packages that start threads when imported",
}
