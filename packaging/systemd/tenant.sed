# Turn a unit of the package into a template for tenants. Each tenant has its own configuration, data, socket and user.
s|^Description=.*|& of %i|
s|^User=eventapi$|User=eventapi-%i|
s|^Group=eventapi$|Group=eventapi-%i|
s|^SocketUser=eventapi$|SocketUser=eventapi-%i|
s|/etc/eventapi/eventapi\.|/etc/eventapi/%i.|
s|/run/eventapi/web\.sock|/run/eventapi/%i/web.sock|
s|=eventapi\.socket$|=eventapi@%i.socket|
s|^SyslogIdentifier=\(.*\)|SyslogIdentifier=\1@%i|
s|^StateDirectory=eventapi$|StateDirectory=eventapi-%i|
/^StateDirectoryMode=/a\
# A tenant sees only its own directory in /var/lib.\
TemporaryFileSystem=/var/lib:ro\
BindPaths=/var/lib/eventapi-%i
