# Variables for an acceptance test in a virtual machine. The test installs, uses, restarts, upgrades, removes and purges the package and
# cuts the power. It knows eventapi only through these variables.
PKG=eventapi
UNITS="eventapi.socket eventapi.service eventapi-worker.service eventapi-backup.timer"    # active after install and after a reboot
SCORED="eventapi.service eventapi-worker.service"                                          # for systemd-analyze security
SCORE_MAX=1.2
SVC_USER=eventapi
DATA_DIR=/var/lib/eventapi
CONF_DIR=/etc/eventapi
CONFFILE=/etc/eventapi/eventapi.conf
DB=/var/lib/eventapi/eventapi.db
DEPS="python3 gunicorn python3-bottle python3-jsonschema python3-stdnum python3-reportlab nginx sqlite3 curl"
# In the guest, as root
G_KEY='eventapi key create --name rig --all-scopes --quiet'
G_NGINX='rm -f /etc/nginx/sites-enabled/default; ln -sf ../sites-available/eventapi /etc/nginx/sites-enabled/eventapi; nginx -t && systemctl reload-or-restart nginx'
G_BACKUP='eventapi backup "$BACKUP"'
# Through nginx
HEALTH_PATH=/healthz
WRITE_PATH=/api/v1/events; WRITE_OK=201
write_body() { printf '{"title":"%s"}' "$1"; }
READ_PATH() { printf '/api/v1/events?search=%s' "$1"; }
UNAUTH_PATH=/api/v1/events; UNAUTH_CODE=401
SQL_MARKERS="SELECT title FROM events"
# Control of the power-cut test: without syncing, the test must detect lost writes. No option turns syncing off.
G_UNSAFE="sed -i 's/synchronous = FULL/synchronous = OFF/' /usr/lib/python3/dist-packages/eventapi/storage/database.py; systemctl restart eventapi.service"
