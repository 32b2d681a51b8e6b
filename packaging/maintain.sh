# What the package's maintainer scripts do with the databases and services; /usr/share/eventapi/maintain.sh, sourced by them.

# NAME of the package's own service and of each tenant's.
services() {
    echo eventapi
    [ ! -x /usr/sbin/eventapi-instance ] || /usr/sbin/eventapi-instance list
}

# The units of tenant $1.
units() {
    echo "eventapi@$1.socket eventapi@$1.service eventapi-worker@$1.service eventapi-backup@$1.timer"
}

# Brings the database of service $1 to this version, as its user and after a backup. One that cannot be brought there stays as it was;
# the way back to version $2 is then told here and, by the unit, whenever the service is started in vain.
migrate() {
    if said=$(eventapi --config "/etc/eventapi/$1.conf" migrate 2>&1); then
        rm -f "/etc/eventapi/$1.way-back"
        [ -z "$said" ] || echo "$said"
        return
    fi
    cat > "/etc/eventapi/$1.way-back" <<END
$said
The database of /etc/eventapi/$1.conf was not upgraded, and nothing in it was changed.
The way back: apt install eventapi=${2:-OLD-VERSION}
or, once the cause is gone: dpkg --configure eventapi
END
    cat "/etc/eventapi/$1.way-back" >&2
    return 1
}

# Lets units start that failed too often before: this version may be the cure.
forgive() {
    systemctl reset-failed 'eventapi*' 2>/dev/null || true
}

# Starts what is enabled of tenant $1.
start_tenant() {
    for unit in $(units "$1"); do
        if systemctl --quiet is-enabled "$unit"; then
            deb-systemd-invoke start "$unit" || true
        fi
    done
}

# Whether GET /healthz is answered with 200 through socket $1.
healthy() {
    /usr/bin/python3 -P -c '
import socket, sys
try:
    with socket.socket(socket.AF_UNIX) as web:
        web.settimeout(10)
        web.connect(sys.argv[1])
        web.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        sys.exit(web.recv(64).split(b" ")[1:2] != [b"200"])
except OSError:             # nobody there, or not yet
    sys.exit(1)' "$1"
}

# Whether service $1 answers, once it is meant to run. systemd calls it started before its processes are.
answers() {
    unit=eventapi.service socket=/run/eventapi/web.sock
    [ "$1" = eventapi ] || { unit=eventapi@$1.service socket=/run/eventapi/$1/web.sock; }
    case $(systemctl is-active "$unit") in
        inactive|unknown) return ;;
    esac
    for _ in $(seq 60); do
        if healthy "$socket"; then
            return
        fi
        if systemctl --quiet is-failed "$unit"; then
            break
        fi
        sleep 1
    done
    echo "eventapi: $unit does not answer:" >&2
    systemctl status --no-pager --lines=5 "$unit" >&2 || true
    return 1
}
