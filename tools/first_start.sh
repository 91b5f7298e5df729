#!/bin/sh
# Prepares `docker compose up`: writes secrets/ with random passwords, and .env with the settings of this machine. Existing
# files and settings are kept. HOSTS=gradus.example.org tools/first_start.sh sets the host name of the site.
set -eu
cd "$(dirname "$0")/.."
HOSTS=${HOSTS:-localhost,127.0.0.1}
case ",$HOSTS," in *,127.0.0.1,*) ;; *) HOSTS="$HOSTS,127.0.0.1" ;; esac # the health check uses this name
SOCKET=${DOCKER_SOCKET:-/var/run/docker.sock}

random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }

# Only you can enter the folder. The files are readable for everyone, because users in containers have other ids.
mkdir -p secrets
chmod 700 secrets
umask 022
for name in secret_key postgres_password redis_password metrics_token; do
    [ -s "secrets/$name" ] || random >"secrets/$name"
done
[ -s secrets/broker_url ] || printf 'redis://:%s@redis:6379/0' "$(cat secrets/redis_password)" >secrets/broker_url
chmod 444 secrets/*

[ -S "$SOCKET" ] || {
    echo "There is no container engine at $SOCKET. Install and start one (apt-get install docker.io), then try again." >&2
    exit 1
}
touch .env
set_once() { # set_once NAME VALUE: unless it is already set
    grep -q "^$1=" .env || printf '%s=%s\n' "$1" "$2" >>.env
}
set_once COMPOSE_PROJECT_NAME gradus
set_once GRADUS_HOSTS "$HOSTS"
set_once DOCKER_SOCKET "$SOCKET"
set_once DOCKER_GID "$(stat -c %g "$SOCKET")"
echo "secrets/ and .env are ready. Next: make images (or docker compose build), then docker compose up -d"
