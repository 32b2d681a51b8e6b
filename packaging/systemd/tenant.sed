# A unit of the package as the template for tenants: configuration, data, socket and user of each are its own.
s|^Description=.*|& of %i|
s|^User=eventapi$|User=eventapi-%i|
s|^Group=eventapi$|Group=eventapi-%i|
s|^SocketUser=eventapi$|SocketUser=eventapi-%i|
s|/etc/eventapi/eventapi\.|/etc/eventapi/%i.|
s|/run/eventapi/web\.sock|/run/eventapi/%i/web.sock|
s|=eventapi\.socket$|=eventapi@%i.socket|
s|^SyslogIdentifier=\(.*\)|SyslogIdentifier=\1@%i|
s|^StateDirectory=eventapi$|StateDirectory=eventapi/%i|
/^StateDirectoryMode=/a\
# Of /var/lib/eventapi a tenant sees its own directory only.\
TemporaryFileSystem=/var/lib/eventapi:ro\
BindPaths=/var/lib/eventapi/%i
