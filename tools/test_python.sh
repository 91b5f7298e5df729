#!/bin/sh
# Runs the fast tests with the Python of another Debian release: trixie has 3.13. The release is installed into a folder with
# debootstrap, and entered with namespaces of its own, so that the sandbox can be tested too. Needs root.
# A second run only updates packages and sources. TESTS="tests/judge tests/sandbox" selects tests.
set -eu
cd "$(dirname "$0")/.."

RELEASE=${RELEASE:-trixie}
FOLDER=${FOLDER:-$PWD/.cache/debian-$RELEASE}
TESTS=${TESTS:-tests --ignore=tests/e2e}
export FOLDER

if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
    echo "This needs root and debootstrap. Install it (apt-get install debootstrap) and run make test-python as root." >&2
    exit 1
fi
if [ ! -e "$FOLDER/installed" ]; then
    mkdir -p "$FOLDER"
    debootstrap --variant=minbase --include=ca-certificates,git,make,python3,python3-venv "$RELEASE" "$FOLDER" >"$FOLDER.log" ||
        { tail -n 5 "$FOLDER.log" >&2; exit 1; }
    touch "$FOLDER/installed"
fi
cp /etc/resolv.conf "$FOLDER/etc/resolv.conf"
cp /etc/ssl/certs/ca-certificates.crt "$FOLDER/etc/ssl/certs/ca-certificates.crt" # a network may have a certificate of its own

mkdir -p "$FOLDER/gradus"
find "$FOLDER/gradus" -mindepth 1 -maxdepth 1 ! -name .venv ! -name .cache -exec rm -rf {} +
git ls-files --cached --others --exclude-standard -z | tar --null --ignore-failed-read -T - -c | tar -x -C "$FOLDER/gradus"
git -C "$FOLDER/gradus" init -q # tests ask git for the files of the project

# bubblewrap cannot work in a chroot, so the folder becomes the root of a mount namespace.
# shellcheck disable=SC2016 # the variables belong to the inner shell
exec unshare --mount --propagation private --pid --fork --kill-child sh -euc '
    mount --rbind "$FOLDER" "$FOLDER"
    mount -t proc proc "$FOLDER/proc"
    mount --rbind /dev "$FOLDER/dev"
    mount -t sysfs -o ro sysfs "$FOLDER/sys"
    mount -t tmpfs -o mode=1777 tmpfs "$FOLDER/tmp"
    mkdir -p "$FOLDER/host"
    cd "$FOLDER"
    pivot_root . host
    umount -l /host
    cd /gradus
    export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 PYTHON=python3
    unset TMPDIR XDG_CACHE_HOME
    tools/setup.sh --tests
    .venv/bin/python --version
    exec .venv/bin/pytest -m "not slow" -n 2 --dist loadscope --no-loadscope-reorder "$@"
' sh $TESTS
