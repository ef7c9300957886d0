#!/bin/sh
# Runs three hubs, their storage, PostgreSQL and nginx on this machine: all in one new folder, and only on loopback.
#
#   examples/many-hubs/try.sh [FOLDER]        runs until Ctrl+C; then you can delete the folder
#
# Needs latchkey and curl in PATH, openssl, nginx, and PostgreSQL 14 or newer (Debian: apt install nginx postgresql).
set -eu
umask 077

folder=${1:-./many-hubs-try}
hub_ports=${HUB_PORTS:-8080 8180 8280}
operations_ports=${OPERATIONS_PORTS:-9080 9180 9280}
storage_port=${STORAGE_PORT:-8081}
postgres_port=${POSTGRES_PORT:-5433}
https_port=${HTTPS_PORT:-8443}

fail() { echo "try.sh: $1" >&2; exit 1; }

PATH=$PATH:/usr/sbin:/sbin
for bin in /usr/lib/postgresql/*/bin; do PATH=$PATH:$bin; done
for program in latchkey curl openssl nginx initdb pg_ctl psql; do
    command -v "$program" > /dev/null || fail "$program is not in PATH"
done
[ ! -e "$folder" ] || fail "$folder is there already: remove it, or name another folder"

here=$(cd "$(dirname "$0")" && pwd)
mkdir "$folder"
cd "$folder"
folder=$(pwd)
hub=https://localhost:$https_port
cas=https://127.0.0.1:$https_port

# PostgreSQL refuses to run as root.
if [ "$(id -u)" = 0 ]; then
    unprivileged() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
    chmod 711 .
else
    unprivileged() { "$@"; }
fi

# keep NAME COMMAND …: restarts the command whenever it ends, like systemd. NAME.pid has its process id, NAME.log its output.
keep() {
    name=$1
    shift
    while [ ! -e stopping ]; do
        "$@" >> "$name.log" 2>&1 &
        echo $! > "$name.pid"
        wait $! || true
        sleep 0.5
    done
}

stop() {
    trap - EXIT INT TERM
    touch stopping
    for name in nginx storage hub-1 hub-2 hub-3; do
        [ ! -e "$name.pid" ] || kill "$(cat "$name.pid")" 2> /dev/null || true
    done
    # Hubs finish their requests before the database stops.
    for job in $kept; do wait "$job" || true; done
    [ -z "$started" ] || control stop --mode fast || true
    wait
}
kept=
started=
trap stop EXIT
trap 'exit 0' INT TERM

# until_true SECONDS COMMAND …
until_true() {
    left=$(($1 * 4))
    shift
    until "$@" > /dev/null 2>&1; do
        left=$((left - 1))
        [ $left -gt 0 ] || fail "gave up waiting for: $*; see the .log files in $folder"
        sleep 0.25
    done
}

echo 'PostgreSQL …' >&2
mkdir postgres
password=$(openssl rand -hex 16)
echo "$password" > postgres/password
[ "$(id -u)" != 0 ] || chown -R 65534:65534 postgres
unprivileged initdb --pgdata postgres/data --username postgres --pwfile postgres/password \
    --encoding UTF8 --locale C --auth scram-sha-256 > initdb.log 2>&1 || fail "$(tail -n 1 initdb.log)"
control() { unprivileged pg_ctl "$@" --pgdata postgres/data --silent > /dev/null 2>&1; }
started=yes
control start --log postgres/log --options "-p $postgres_port -h 127.0.0.1 -k ''" ||
    fail "$(tail -n 1 postgres/log)"

# Programs read the password here and do not get it as an argument.
export PGPASSFILE="$folder/pgpass"
echo "127.0.0.1:$postgres_port:*:*:$password" > pgpass
export PGHOST=127.0.0.1 PGPORT="$postgres_port"
ask() { psql --no-psqlrc --quiet --username postgres --set ON_ERROR_STOP=1 "$@"; }
ask --command 'create database latchkey'
ask --dbname latchkey --file "$here/roles.sql"
for role in latchkey_owner latchkey_hub; do
    echo "alter role $role password '$password'" | ask
done

echo 'Accounts and a repository …' >&2
# The role of the hubs cannot make tables. The first command of the owner makes them.
owned() {
    latchkey "$@" --data owner --database "postgres://latchkey_owner@127.0.0.1:$postgres_port/latchkey" \
        >> directory.log 2>&1 || fail "$(tail -n 1 directory.log)"
}
owned apply - << END
{
  "accounts": [{ "name": "ada", "administrator": true }, { "name": "cas", "kind": "service" }],
  "namespaces": [{ "name": "acme", "members": { "ada": "admin" } }],
  "repositories": [{ "type": "model", "id": "acme/bert" }]
}
END
owned hub-token create ada laptop --kind write --output ada.token
owned hub-token create cas link --kind storage --output cas.token

echo 'Three hubs …' >&2
openssl rand -base64 32 > master.key
export LATCHKEY_MASTER_KEY_FILE="$folder/master.key"
sed -e "s|https://hub.example|$hub|; s|https://cas.example|$cas|; s|:5432/|:$postgres_port/|" "$here/hub.json" > hub.json
number=0
for port in $hub_ports; do
    number=$((number + 1))
    operations_port=$(echo "$operations_ports" | cut -d ' ' -f "$number")
    keep "hub-$number" latchkey serve --config hub.json --data "hub-$number" \
        --port "$port" --operations-port "$operations_port" &
    kept="$kept $!"
    # The first hub makes the signing keys of all hubs.
    until_true 60 curl --fail --silent "http://127.0.0.1:$operations_port/readyz"
done
unset LATCHKEY_MASTER_KEY_FILE

echo 'nginx …' >&2
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=latchkey-try \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout tls.key -out tls.pem 2> openssl.log
set -- $hub_ports
sed -e "s|127.0.0.1:8080|127.0.0.1:$1|; s|127.0.0.1:8180|127.0.0.1:$2|; s|127.0.0.1:8280|127.0.0.1:$3|" \
    -e "s|127.0.0.1:8081|127.0.0.1:$storage_port|; s|listen 443|listen 127.0.0.1:$https_port|" \
    -e 's|server_name hub.example|server_name localhost|; s|server_name cas.example|server_name 127.0.0.1|' \
    -e "s|/etc/ssl/latchkey/[a-z]*.example|$folder/tls|" "$here/nginx.conf" > servers.conf
mkdir nginx
temporary=$(for name in client_body proxy fastcgi uwsgi scgi; do echo "${name}_temp_path $folder/nginx/$name;"; done)
user=
[ "$(id -u)" != 0 ] || user='user root;'
cat > nginx.conf << END
$user
daemon off; worker_processes 2; error_log stderr; pid $folder/nginx/pid;
events { worker_connections 512; }
http { access_log off; $temporary include $folder/servers.conf; }
END
keep nginx nginx -p "$folder" -c "$folder/nginx.conf" -e stderr &
kept="$kept $!"
until_true 60 curl --silent --cacert tls.pem "$hub/.well-known/jwks.json"

echo 'The storage …' >&2
LATCHKEY_STORAGE_CREDENTIAL_FILE=cas.token NODE_EXTRA_CA_CERTS="$folder/tls.pem" \
    keep storage latchkey storage serve --hub "$hub" --cas-url "$cas/r/{repo}/{ref}" \
    --data storage --port "$storage_port" --trusted-proxies 127.0.0.1 &
kept="$kept $!"
until_true 60 curl --fail --silent "http://127.0.0.1:$storage_port/readyz"

cat >&2 << END

ready at $hub, until Ctrl+C. In another terminal:

  cd $folder
  export LATCHKEY_HUB=$hub LATCHKEY_HUB_TOKEN_FILE=ada.token NODE_EXTRA_CA_CERTS=tls.pem
  latchkey token read models/acme/bert
  kill -KILL \$(cat hub-2.pid)
  latchkey token read models/acme/bert

END
wait
