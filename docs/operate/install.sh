#!/bin/sh
# Install Balcão on one Debian machine, or upgrade it: Debian's PostgreSQL and HAProxy, the wheel of a release, and an identity
# provider that already runs. Run it as root. requirements.lock must be in the wheel's folder:
#
#   AUTH_ISSUER=https://login.cidade.example/realms/cidade PUBLIC_URL=https://balcao.cidade.example install.sh balcao-*.whl
#
# Run it again with the wheel of another release to upgrade: `install.sh balcao-*.whl`. A later run remembers the answers of the
# first one ($ETC/install.env), never changes a value in $ETC/balcao.env, and restarts the processes only if something changed.
# Without systemd the script starts the processes itself and writes their process ids to $RUN.
set -eu

WHEEL=$1
ETC=${ETC:-/etc/balcao}                     # settings and certificate
ANSWERS=$ETC/install.env
refuse() { echo "$*" >&2; exit 1; }
# Set an answer: the value of this run, otherwise of the first run, otherwise the default. Refuse a value that differs from
# the first run's value.
answer() { # NAME DEFAULT
    eval "given=\${$1-} known=\${KNOWN_$1-}"
    [ -z "$given" ] || [ -z "$known" ] || [ "$given" = "$known" ] ||
        refuse "$1 era $known na primeira execução e agora é $given. Nada mudou: escreva o valor novo em $ETC/balcao.env e em $ANSWERS."
    given=${given:-${known:-$2}}
    eval "$1=\$given"
    answers="$answers
KNOWN_$1='$(printf %s "$given" | sed "s/'/'\\\\''/g")'"
}
answers=
[ ! -f "$ANSWERS" ] || . "$ANSWERS"
answer AUTH_ISSUER ""                       # the issuer of the tokens
answer PUBLIC_URL ""                        # the public address
: "${AUTH_ISSUER:?o emissor dos tokens}" "${PUBLIC_URL:?o endereço que as pessoas veem}"
answer PREFIX /opt/balcao                   # the program
answer STATE /var/lib/balcao                # files that the processes of one machine share
answer RUN /run/balcao
answer FILES /root/balcao-production        # the files that `balcao init production` writes
answer DATABASE localhost:5432
answer PORT 8080
answer HTTPS_PORT 443
answer HTTP_PORT 80
answer OPTIONS ""                           # more options of `balcao init production`
LOCK=${LOCK:-$(dirname "$WHEEL")/requirements.lock}
ADMINISTRATE=${ADMINISTRATE:-runuser -u postgres -- psql} # how an administrator reaches the PostgreSQL
MORE_SETTINGS=${MORE_SETTINGS:-/dev/null}   # lines for balcao.env: the city's CRM, its lists of clients, ...
ALLOWED_SIGNERS=${ALLOWED_SIGNERS:-}        # who may sign a release: docs/operate/allowed_signers of the source
PEOPLE=${PEOPLE:-}                          # a file for `balcao registry import`

say() { echo "==> $*"; }
has_systemd() { [ -d /run/systemd/system ] && [ "$PREFIX" = /opt/balcao ]; }
# Print the settings of a file that sh reads differently from systemd, for example because of a space outside quotes.
list_misread() { # FILE
    grep '^[A-Z][A-Z0-9_]*=' "$1" |
        grep -vE "^[A-Z0-9_]+=('[^']*'|\"[^\"\$\`\\]*\"|[^[:space:]\"'\$&;|<>()\`\\]*)[[:space:]]*\$" | cut -d= -f1
}
# Run a command with the settings, including the owner's, as the units do.
with_settings() { (set -a && . "$ETC/balcao.env" && . "$ETC/balcao-owner.env" && cd "$STATE" && "$@"); }
# Print the settings of a file that another file neither sets nor has as a comment.
list_missing() { # FILE OTHER
    sed -n 's/^\([A-Z][A-Z0-9_]*\)=.*/\1/p' "$1" | while read -r name; do
        grep -q "^#\{0,1\} *$name=" "$2" || grep "^$name=" "$1"
    done
}
# Print the settings of a file that another file sets to another value.
list_different() { # FILE OTHER
    grep '^[A-Z]' "$1" | while read -r line; do
        ! grep -q "^${line%%=*}=" "$2" || grep -qxF -e "$line" "$2" || echo "${line%%=*}"
    done
}
# Print a digest of everything that a process loads when it starts.
digest() { cat "$WHEEL" "$LOCK" "$ETC"/*.env "$FILES"/systemd/*.service | sha256sum; }
# Start a command in its own session, unless it is running. Write its process id to a file.
start() {
    name=$1 && shift
    [ ! -f "$RUN/$name.pid" ] || ! kill -0 "$(cat "$RUN/$name.pid")" 2>/dev/null || return 0
    (
        exec >"$RUN/$name.log" 2>&1 </dev/null
        with_settings setsid sh -c 'echo $$ >"$0" && exec "$@"' "$RUN/$name.pid" "$@"
    ) &
}
# Stop a command that `start` started, and wait until it has ended.
stop() {
    kill "$(cat "$RUN/$1.pid")" 2>/dev/null || return 0
    while kill -0 "$(cat "$RUN/$1.pid")" 2>/dev/null; do sleep 1; done
}
# The certificates that the processes trust. They run as another user, who cannot read $ETC.
TRUSTED=/etc/ssl/certs/ca-certificates.crt
PROVISIONAL=/usr/local/share/ca-certificates/balcao-provisional.crt

say "A configuração"
for file in "$ETC/balcao.env" "$ETC/balcao-owner.env" "$MORE_SETTINGS"; do
    [ -f "$file" ] || continue
    misread=$(list_misread "$file")
    [ -z "$misread" ] || refuse "Em $file, ponha entre aspas simples o valor de $(echo $misread): tem espaço ou outro sinal do shell. Nada foi instalado."
done

say "A edição"
SUMS=$(dirname "$WHEEL")/SHA256SUMS
if [ -n "$ALLOWED_SIGNERS" ]; then
    [ -f "$SUMS.sig" ] || refuse "Falta a assinatura da edição, $SUMS.sig. Nada foi instalado."
    ssh-keygen -Y verify -f "$ALLOWED_SIGNERS" -I balcao -n balcao-release -s "$SUMS.sig" <"$SUMS" >/dev/null ||
        refuse "A assinatura não é de quem pode assinar. Nada foi instalado."
elif [ -f "$SUMS.sig" ]; then
    echo "A assinatura NÃO foi conferida: diga em ALLOWED_SIGNERS de quem ela deve ser."
fi
if [ -f "$SUMS" ]; then
    for file in "$WHEEL" "$LOCK"; do
        awk -v name="$(basename "$file")" '$2 == name' "$SUMS" | (cd "$(dirname "$file")" && sha256sum --check --status) ||
            refuse "$file não é o arquivo da edição. Nada foi instalado."
    done
fi

say "Pacotes do Debian"
missing=
for package in python3-venv postgresql haproxy ca-certificates openssl curl; do
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
# With DynamicUser, systemd creates $STATE itself and assigns it to the units' user.
install -d -m 0700 "$ETC" "$FILES" "$RUN"
[ -d "$STATE" ] || install -d -m 0700 "$STATE"
if [ ! -f "$ETC/balcao.pem" ]; then
    host=${PUBLIC_URL#https://} && host=${host%%[:/]*}
    case $host in *[!0-9.]*) kind=DNS ;; *) kind=IP ;; esac
    # CA:FALSE: the certificate is valid for this name, and cannot sign other certificates.
    openssl req -x509 -newkey rsa:2048 -nodes -days 90 -subj "/CN=$host" -addext "subjectAltName=$kind:$host" \
        -addext basicConstraints=critical,CA:FALSE -keyout "$ETC/balcao.key" -out "$ETC/balcao.crt" 2>/dev/null
    (umask 077 && cat "$ETC/balcao.crt" "$ETC/balcao.key" >"$ETC/balcao.pem")
    if has_systemd; then
        cp "$ETC/balcao.crt" "$PROVISIONAL"
        update-ca-certificates >/dev/null 2>&1
        say "O certificado é provisório. Troque $ETC/balcao.pem pelo da cidade, apague $PROVISIONAL e execute update-ca-certificates"
    else
        cat "$TRUSTED" "$ETC/balcao.crt" >"$ETC/trusted.crt"
        TRUSTED=$ETC/trusted.crt
    fi
fi
# Copy the current settings, so that `init production` keeps their secrets.
for name in balcao.env balcao-owner.env; do
    [ ! -f "$ETC/$name" ] || cp "$ETC/$name" "$FILES/"
done
"$PREFIX/bin/balcao" init production --folder "$FILES" --public-url "$PUBLIC_URL" --auth-issuer "$AUTH_ISSUER" \
    --database "$DATABASE" --port "$PORT" --https-port "$HTTPS_PORT" --http-port "$HTTP_PORT" \
    --certificate "$ETC/balcao.pem" --program "$PREFIX/bin/balcao" --replace $OPTIONS
if [ -f "$ETC/balcao.env" ]; then
    differing=$(list_different "$MORE_SETTINGS" "$ETC/balcao.env")
    [ -z "$differing" ] || refuse "$ETC/balcao.env tem outro valor de $(echo $differing), e fica como está: mude-o lá, ou em $MORE_SETTINGS."
else
    # A line of MORE_SETTINGS replaces the generated one.
    { cat "$MORE_SETTINGS"
      echo "BALCAO_DATA_DIR=$STATE"
      grep -q '^SSL_CERT_FILE=' "$MORE_SETTINGS" || echo "SSL_CERT_FILE=$TRUSTED"
    } >"$FILES/.given"
    awk -F= 'NR == FNR { if (/^[A-Z]/) given[$1]; next } !($1 in given)' "$FILES/.given" "$FILES/balcao.env" >"$FILES/.settings"
    cat "$FILES/.given" >>"$FILES/.settings"
    install -m 600 "$FILES/.settings" "$ETC/balcao.env"
fi
[ -f "$ETC/balcao-owner.env" ] || install -m 600 "$FILES/balcao-owner.env" "$ETC/"
# Append new settings of the release and new lines of MORE_SETTINGS. Existing settings never change.
for name in balcao.env balcao-owner.env; do
    list_missing "$FILES/$name" "$ETC/$name" >"$FILES/.missing"
    [ "$name" != balcao.env ] || list_missing "$MORE_SETTINGS" "$ETC/$name" >>"$FILES/.missing"
    cat "$FILES/.missing" >>"$ETC/$name"
done
(umask 077 && echo "$answers" >"$ANSWERS")

say "O banco"
# The database's name, which OPTIONS or the settings choose.
name=$(with_settings sh -c 'url=${BALCAO_DATABASE_URL%%\?*} && echo "${url##*/}"')
if [ "$($ADMINISTRATE -tAc "SELECT count(*) FROM pg_database WHERE datname = '$name'")" = 0 ]; then
    $ADMINISTRATE -q -v ON_ERROR_STOP=1 <"$FILES/database/roles.sql"
fi
# Meanwhile, the processes of the previous release continue to serve.
with_settings "$PREFIX/bin/balcao" migrate

say "Os processos"
# Generate the gateway from the current settings, not only from the answers: origins of portals, rates, ports.
eval "set -- $(sed -n 's/^# balcao \(gateway-config .*\)/\1/p' "$FILES/gateway/haproxy.cfg")"
with_settings "$PREFIX/bin/balcao" "$@" --folder "$FILES/gateway" --replace
if has_systemd; then
    ln -sf "$PREFIX/bin/balcao" /usr/local/bin/balcao
    cp "$FILES"/systemd/*.service /etc/systemd/system/
    for unit in "$FILES"/backup/*.service "$FILES"/backup/*.timer; do
        [ ! -f "/etc/systemd/system/$(basename "$unit")" ] || cp "$unit" /etc/systemd/system/
    done
    systemctl daemon-reload
    systemctl enable --quiet --now balcao-migrate
    if [ "$(cat "$PREFIX/started" 2>/dev/null)" != "$(digest)" ]; then
        systemctl enable --quiet balcao-api balcao-worker
        systemctl restart balcao-api balcao-worker || true # below, the script waits for them
        systemctl try-restart balcao-panel balcao-backup-follow 2>/dev/null || true
        digest >"$PREFIX/started"
    else
        systemctl enable --quiet --now balcao-api balcao-worker
    fi
    # Keep a copy of the previous file, because it may contain the city's own lines.
    cmp -s "$FILES/gateway/haproxy.cfg" /etc/haproxy/haproxy.cfg || cp /etc/haproxy/haproxy.cfg /etc/haproxy/haproxy.cfg.before
    cp -r "$FILES"/gateway/* /etc/haproxy/
    systemctl enable --quiet haproxy
    systemctl reload-or-restart haproxy
else
    if [ -f "$RUN/started" ] && [ "$(cat "$RUN/started")" != "$(digest)" ]; then
        for name in api worker; do stop "$name"; done
    fi
    digest >"$RUN/started"
    start api "$PREFIX/bin/balcao" serve --no-worker --processes 2
    start worker "$PREFIX/bin/balcao" worker
    haproxy -c -q -f "$FILES/gateway/haproxy.cfg"
    start gateway haproxy -db -f "$FILES/gateway/haproxy.cfg"
fi
left=60
# Trust the certificates that the processes trust (SSL_CERT_FILE), or the provisional one.
answers() { with_settings curl -fsS --noproxy '*' -o /dev/null "$@" "$PUBLIC_URL/registry/v1/readiness" 2>/dev/null; }
until answers || { [ -f "$ETC/balcao.crt" ] && answers --cacert "$ETC/balcao.crt"; }; do
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
