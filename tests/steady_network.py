"""Runs a program that is not told when an address of the machine changes: `python steady_network.py PROGRAM ARGUMENT…`.

At such a moment Chromium cancels every request of every page (ERR_NETWORK_CHANGED), those to 127.0.0.1 included; containers
beside the tests are enough to cause one. It is told through a netlink socket. This program refuses that socket, and
Chromium then assumes that the network never changes.
"""

import errno
import os
import socket
import sys

import pyseccomp


def main() -> None:
    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    netlink = pyseccomp.Arg(0, pyseccomp.EQ, int(socket.AF_NETLINK))
    rules.add_rule(pyseccomp.ERRNO(errno.EAFNOSUPPORT), "socket", netlink)
    rules.load()
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
