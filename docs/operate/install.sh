#!/bin/sh
# From an empty Debian machine to the Balcão in production: Debian's PostgreSQL and HAProxy, the wheel of a release, and an
# identity provider that runs already. Run as root, beside requirements.lock:
#
#   AUTH_ISSUER=https://login.cidade.example/realms/cidade PUBLIC_URL=https://balcao.cidade.example install.sh balcao-*.whl
#
# It may be run again: what is there stays, secrets too. Where systemd does not run, the processes are started as they are,
# and their numbers kept in $RUN. What else may be said:
set -eu

WHEEL=$1
: "${AUTH_ISSUER:?o emissor dos tokens}" "${PUBLIC_URL:?o endereço que as pessoas veem}"
LOCK=${LOCK:-$(dirname "$WHEEL")/requirements.lock}
PREFIX=${PREFIX:-/opt/balcao}               # the program
ETC=${ETC:-/etc/balcao}                     # settings and certificate
STATE=${STATE:-/var/lib/balcao}             # what the processes of one machine share
RUN=${RUN:-/run/balcao}
FILES=${FILES:-/root/balcao-production}     # what `balcao init production` writes
DATABASE=${DATABASE:-localhost:5432}
ADMINISTRATE=${ADMINISTRATE:-runuser -u postgres -- psql} # how an administrator reaches the PostgreSQL
PORT=${PORT:-8080} HTTPS_PORT=${HTTPS_PORT:-443} HTTP_PORT=${HTTP_PORT:-80}
MORE_SETTINGS=${MORE_SETTINGS:-/dev/null}   # lines for balcao.env: the city's CRM, its lists of clients, ...
OPTIONS=${OPTIONS:-}                        # further ones of `balcao init production`
ALLOWED_SIGNERS=${ALLOWED_SIGNERS:-}        # whose signature a release must have: docs/operate/allowed_signers of the source
PEOPLE=${PEOPLE:-}                          # a file for `balcao registry import`

say() { echo "==> $*"; }
has_systemd() { [ -d /run/systemd/system ] && [ "$PREFIX" = /opt/balcao ]; }
# Run a command with the settings, those of the owner included, as the units do.
with_settings() { (set -a && . "$ETC/balcao.env" && . "$ETC/balcao-owner.env" && cd "$STATE" && "$@"); }
# Start a command in a session of its own, whose number is kept, unless it runs.
start() {
    name=$1 && shift
    [ ! -f "$RUN/$name.pid" ] || ! kill -0 "$(cat "$RUN/$name.pid")" 2>/dev/null || return 0
    (
        exec >"$RUN/$name.log" 2>&1 </dev/null
        with_settings setsid sh -c 'echo $$ >"$0" && exec "$@"' "$RUN/$name.pid" "$@"
    ) &
}

say "A edição"
SUMS=$(dirname "$WHEEL")/SHA256SUMS
refuse() { echo "$* Nada foi instalado." >&2; exit 1; }
if [ -n "$ALLOWED_SIGNERS" ]; then
    [ -f "$SUMS.sig" ] || refuse "Falta a assinatura da edição, $SUMS.sig."
    ssh-keygen -Y verify -f "$ALLOWED_SIGNERS" -I balcao -n balcao-release -s "$SUMS.sig" <"$SUMS" >/dev/null ||
        refuse "A assinatura não é de quem pode assinar."
elif [ -f "$SUMS.sig" ]; then
    echo "A assinatura NÃO foi conferida: diga em ALLOWED_SIGNERS de quem ela deve ser."
fi
if [ -f "$SUMS" ]; then
    for file in "$WHEEL" "$LOCK"; do
        awk -v name="$(basename "$file")" '$2 == name' "$SUMS" | (cd "$(dirname "$file")" && sha256sum --check --status) ||
            refuse "$file não é o arquivo da edição."
    done
fi

say "Pacotes do Debian"
missing=
for package in python3-venv postgresql haproxy openssl curl; do
    dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
if [ -n "$missing" ]; then
    apt-get update -qq >/dev/null
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $missing >/dev/null
fi

say "O programa, com as versões da lista"
[ -x "$PREFIX/bin/python" ] || ${PYTHON:-python3} -m venv "$PREFIX"
"$PREFIX/bin/pip" -q --disable-pip-version-check install --require-hashes -r "$LOCK"
"$PREFIX/bin/pip" -q --disable-pip-version-check install --no-deps --force-reinstall "$WHEEL"

say "Os arquivos da instalação"
install -d -m 0700 "$ETC" "$FILES" "$RUN" "$STATE"
if [ ! -f "$ETC/balcao.pem" ]; then
    host=${PUBLIC_URL#https://} && host=${host%%[:/]*}
    case $host in *[!0-9.]*) kind=DNS ;; *) kind=IP ;; esac
    openssl req -x509 -newkey rsa:2048 -nodes -days 90 -subj "/CN=$host" -addext "subjectAltName=$kind:$host" \
        -keyout "$ETC/balcao.key" -out "$ETC/balcao.crt" 2>/dev/null
    cat "$ETC/balcao.crt" "$ETC/balcao.key" >"$ETC/balcao.pem" && chmod 600 "$ETC/balcao.pem"
    cat /etc/ssl/certs/ca-certificates.crt "$ETC/balcao.crt" >"$ETC/trusted.crt"
    say "O certificado é provisório: troque $ETC/balcao.pem pelo da cidade"
fi
"$PREFIX/bin/balcao" init production --folder "$FILES" --public-url "$PUBLIC_URL" --auth-issuer "$AUTH_ISSUER" \
    --database "$DATABASE" --port "$PORT" --https-port "$HTTPS_PORT" --http-port "$HTTP_PORT" \
    --certificate "$ETC/balcao.pem" --program "$PREFIX/bin/balcao" --replace $OPTIONS
cat "$FILES/balcao.env" "$MORE_SETTINGS" >"$ETC/balcao.env"
cp "$FILES/balcao-owner.env" "$ETC/"
chmod 600 "$ETC/balcao.env" "$ETC/balcao-owner.env"
{
    echo "BALCAO_DATA_DIR=$STATE"
    [ ! -f "$ETC/trusted.crt" ] || echo "SSL_CERT_FILE=$ETC/trusted.crt"
} >>"$ETC/balcao.env"

say "O banco"
if [ "$($ADMINISTRATE -tAc "SELECT count(*) FROM pg_database WHERE datname = 'balcao'")" = 0 ]; then
    $ADMINISTRATE -q -v ON_ERROR_STOP=1 <"$FILES/database/roles.sql"
fi
with_settings "$PREFIX/bin/balcao" migrate

say "Os processos"
if has_systemd; then
    cp "$FILES"/systemd/*.service /etc/systemd/system/
    systemctl daemon-reload
    systemctl enable --now balcao-migrate balcao-api balcao-worker
    cp -r "$FILES"/gateway/* /etc/haproxy/
    systemctl reload-or-restart haproxy
else
    start api "$PREFIX/bin/balcao" serve --no-worker --processes 2
    start worker "$PREFIX/bin/balcao" worker
    haproxy -c -q -f "$FILES/gateway/haproxy.cfg"
    start gateway haproxy -db -f "$FILES/gateway/haproxy.cfg"
fi
left=60
until curl -fsS --cacert "$ETC/balcao.crt" -o /dev/null "$PUBLIC_URL/registry/v1/readiness" 2>/dev/null; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || { echo "O Balcão não responde em $PUBLIC_URL: veja os registros (journalctl, ou $RUN)." >&2; exit 1; }
    sleep 1
done

if [ -n "$PEOPLE" ]; then
    say "Os dados do município"
    with_settings "$PREFIX/bin/balcao" registry import "$PEOPLE"
fi

say "Conferência"
with_settings "$PREFIX/bin/balcao" doctor --json
