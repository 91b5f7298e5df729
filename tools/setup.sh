#!/bin/sh
# Installs everything Gradus needs on a fresh Debian or Ubuntu: system packages, a virtual environment in .venv, pinned packages.
# --dev adds packages for developers. --tests adds those, the servers that tests start on free ports, a browser with fonts,
# and Node, which rebuilds the scripts of the pages to compare them.
# It can be run again; a second run takes a second. TORCH_INDEX is the package index of the CPU build of torch.
set -eu
cd "$(dirname "$0")/.."

supported() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; }
if [ -z "${PYTHON:-}" ]; then
    PYTHON=python3.11 # installed below if this machine has no supported version
    for candidate in python3.13 python3.12 python3.11 python3; do
        if supported "$candidate"; then PYTHON=$candidate; fi
    done
fi
TORCH_INDEX=${TORCH_INDEX:-}

cached=".venv/requirements.lock"
[ -n "${1:-}" ] && cached=".venv/requirements-dev.lock"
[ -e "$cached" ] || echo "Setting up Gradus: system packages if any are missing, then Python packages in .venv. This takes a few minutes."

missing=
need() { # need PACKAGE COMMAND...: note that the package is missing unless the command succeeds
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}
need bubblewrap command -v bwrap
need util-linux sh -c 'command -v setpriv && command -v unshare'
need libseccomp2 sh -c '/sbin/ldconfig -p | grep -q "libseccomp\.so\.2"'
need "${PYTHON##*/}" command -v "$PYTHON"
need "${PYTHON##*/}-venv" "$PYTHON" -c 'import ensurepip, venv'
if [ "${1:-}" = --tests ]; then
    need redis-server command -v redis-server
    need postgresql sh -c 'ls /usr/lib/postgresql/*/bin/initdb'
    need nginx-light sh -c 'command -v nginx || ls /usr/sbin/nginx'
    need e2fsprogs sh -c 'ls /sbin/mkfs.ext4'
    need openssl command -v openssl
    need nodejs command -v node
    need npm command -v npm
    need chromium-headless-shell sh -c 'command -v chromium-headless-shell || command -v chromium-browser || command -v google-chrome'
    need fonts-dejavu-core sh -c 'ls /usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf'
    need fonts-liberation sh -c 'ls /usr/share/fonts/truetype/liberation*/LiberationSans-Regular.ttf'
fi

if [ -n "$missing" ]; then
    install="apt-get update && apt-get install -y --no-install-recommends$missing"
    if [ "$(id -u)" = 0 ]; then
        sudo=
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        sudo="sudo -n"
    else
        echo "Gradus needs these system packages:$missing" >&2
        echo "Run this, then try again:   sudo sh -c '$install'" >&2
        exit 1
    fi
    echo "Installing$missing"
    # shellcheck disable=SC2086 # one word per package
    $sudo apt-get update -qq
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
fi

supported "$PYTHON" || {
    echo "$PYTHON is not Python 3.11, 3.12 or 3.13. Install one and name it, such as: make run PYTHON=python3.12" >&2
    exit 1
}
[ -x .venv/bin/python ] || "$PYTHON" -m venv .venv

install_pinned() { # install_pinned LOCK_FILE: unless these versions have been installed
    cmp -s "$1" ".venv/$1" && return
    echo "Installing the packages of $1"
    torch=$(grep '^torch==' "$1" || true)
    if [ -n "$torch" ]; then
        # shellcheck disable=SC2086 # an option and its value
        .venv/bin/python -m pip install --quiet --disable-pip-version-check ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} "$torch"
    fi
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r "$1"
    cp "$1" ".venv/$1"
}
install_pinned requirements.lock
if [ -n "${1:-}" ]; then
    install_pinned requirements-dev.lock
fi
