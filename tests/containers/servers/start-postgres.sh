# As the published image does it: a cluster at the first start, with the user, the database and the password from the environment.
set -eu
mkdir -p "$PGDATA" && chown -R postgres "$PGDATA" && chmod 700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    cp "$POSTGRES_PASSWORD_FILE" /tmp/password && chown postgres /tmp/password
    setpriv --reuid postgres --regid postgres --clear-groups initdb -E UTF8 -U "$POSTGRES_USER" --pwfile=/tmp/password \
        --auth-host=scram-sha-256 --auth-local=trust >/dev/null
    rm /tmp/password
    echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
    setpriv --reuid postgres --regid postgres --clear-groups pg_ctl -w -o "-c listen_addresses=''" start >/dev/null
    psql -h /var/run/postgresql -U "$POSTGRES_USER" -d postgres -qc "create database $POSTGRES_DB"
    setpriv --reuid postgres --regid postgres --clear-groups pg_ctl -w stop >/dev/null
fi
exec setpriv --reuid postgres --regid postgres --clear-groups postgres -c listen_addresses='*'
