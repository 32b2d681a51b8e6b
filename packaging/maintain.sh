# Functions of the maintainer scripts, installed as /usr/share/eventapi/maintain.sh.

# Print the name of the default service and of each tenant.
services() {
    echo eventapi
    [ ! -x /usr/sbin/eventapi-instance ] || /usr/sbin/eventapi-instance list
}

# Print the units of tenant $1.
units() {
    echo "eventapi@$1.socket eventapi@$1.service eventapi-worker@$1.service eventapi-backup@$1.timer"
}

# Print how to install version $1 again: apt can only if one of its repositories has that version, and not if it was installed from a file.
way_back() {
    if [ -z "$1" ]; then
        echo "To return to the previous version, install its file: apt install --allow-downgrades ./eventapi_VERSION_all.deb"
    elif apt-cache madison eventapi 2>/dev/null | cut -d '|' -f 2 | tr -d ' ' | grep -qxF "$1"; then
        echo "To return to the previous version, run: apt install eventapi=$1"
    else
        echo "To return to the previous version, install the file of that version: apt install --allow-downgrades ./eventapi_$1_all.deb"
    fi
}

# Write the text on stdin, and how to return to version $2, to stderr and to a file that the units of service $1 print when they fail.
explain() {
    {
        cat
        way_back "${2:-}"
        echo "To try again after the cause is fixed, run: dpkg --configure eventapi"
    } > "/etc/eventapi/$1.way-back"
    cat "/etc/eventapi/$1.way-back" >&2
}

# Move the data of tenant $1 to /var/lib, which belongs to root. It was in /var/lib/eventapi/$1, which the user of the default service can
# replace. Data that the administrator keeps elsewhere stays there.
move_data() {
    old=/var/lib/eventapi/$1 new=/var/lib/eventapi-$1 user=eventapi-$1
    if ! grep -qsE "^[a-z_]+ *[=:] *$old(/|[[:space:]]*\$)" "/etc/eventapi/$1.conf"; then
        return
    fi
    if ! said=$(/usr/share/eventapi/move-data "$old" "$new" "$user" 2>&1); then
        echo "$said" | explain "$1" "$2"
        return 1
    fi
    echo "u $user - \"eventapi of $1\" $new" > "/etc/sysusers.d/$user.conf" || return
    usermod --home "$new" "$user" || echo "eventapi: the home directory of $user could not be changed; nothing depends on it" >&2
    # This comes last, so that all steps are repeated after a failure.
    sed -i -E "s#^([a-z_]+ *[=:] *)$old(/|[[:space:]]*\$)#\1$new\2#" "/etc/eventapi/$1.conf" || return
    echo "eventapi: the data of $1 is now in $new"
}

# Upgrade the database of service $1 as the user of the service, after a backup. If that fails, the database stays unchanged. This function
# and the unit then print how to return to version $2.
migrate() {
    if said=$(eventapi --config "/etc/eventapi/$1.conf" migrate 2>&1); then
        rm -f "/etc/eventapi/$1.way-back"
        [ -z "$said" ] || echo "$said"
        return
    fi
    printf '%s\n' "$said" "The database of /etc/eventapi/$1.conf was not upgraded and is unchanged." | explain "$1" "$2"
    return 1
}

# Allow units to start again that failed too often before this version was installed.
forgive() {
    systemctl reset-failed 'eventapi*' 2>/dev/null || true
}

# Start the enabled units of tenant $1.
start_tenant() {
    for unit in $(units "$1"); do
        if systemctl --quiet is-enabled "$unit"; then
            deb-systemd-invoke start "$unit" || true
        fi
    done
}

# Succeed if GET /healthz returns 200 on socket $1.
healthy() {
    /usr/bin/python3 -P -c '
import socket, sys
try:
    with socket.socket(socket.AF_UNIX) as web:
        web.settimeout(10)
        web.connect(sys.argv[1])
        web.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        sys.exit(web.recv(64).split(b" ")[1:2] != [b"200"])
except OSError:             # nothing listens on the socket, or not yet
    sys.exit(1)' "$1"
}

# Succeed if service $1 responds or is not enabled. systemd reports a service as started before its processes are ready.
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
    echo "eventapi: $unit does not respond to GET /healthz:" >&2
    systemctl status --no-pager --lines=5 "$unit" >&2 || true
    return 1
}
