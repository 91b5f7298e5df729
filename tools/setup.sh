#!/bin/sh
# Everything Gradus needs on a fresh Debian or Ubuntu: system packages, a virtual environment in .venv, pinned packages.
# With --dev also the packages that developers use. With --tests those, the servers that tests start for themselves on
# free ports, a browser with fonts, and Node, which rebuilds the scripts of the pages to compare them.
# Safe to run again; a second run takes a second. TORCH_INDEX names a package index for the CPU build of torch.
set -eu
cd "$(dirname "$0")/.."

PYTHON=${PYTHON:-python3.11}
TORCH_INDEX=${TORCH_INDEX:-}

missing=
need() { # need PACKAGE COMMAND...: remember the package unless the command succeeds
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}
need bubblewrap command -v bwrap
need util-linux sh -c 'command -v setpriv && command -v unshare'
need libseccomp2 sh -c '/sbin/ldconfig -p | grep -q "libseccomp\.so\.2"'
need python3.11 command -v "$PYTHON"
need python3.11-venv "$PYTHON" -c 'import ensurepip, venv'
if [ "${1:-}" = --tests ]; then
    need redis-server command -v redis-server
    need postgresql sh -c 'ls /usr/lib/postgresql/*/bin/initdb'
    need nginx-light sh -c 'command -v nginx || ls /usr/sbin/nginx'
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
        echo "Type this, then try again:   sudo sh -c '$install'" >&2
        exit 1
    fi
    echo "Installing$missing"
    # shellcheck disable=SC2086 # the words are the packages
    $sudo apt-get update -qq
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
fi

[ -x .venv/bin/python ] || "$PYTHON" -m venv .venv

install_pinned() { # install_pinned LOCK_FILE: unless exactly these versions were installed before
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
