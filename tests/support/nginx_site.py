"""nginx with the shipped site of conf/nginx, in front of a server that a test starts."""

import os
import shutil
import socket
import subprocess
from contextlib import contextmanager

import pytest

from tests.support.processes import ROOT, free_port, until

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin:/bin")
required = pytest.mark.skipif(
    not (NGINX and shutil.which("openssl")), reason="nginx and openssl are not installed"
)


@contextmanager
def running(folder, upstream):
    """Run nginx in front of `upstream`, written as in nginx.

    Yield its ports (with TLS, without TLS).
    """
    port, plain = free_port(), free_port()
    write_site(folder, port, plain, upstream)
    checked = subprocess.run(
        [NGINX, "-t", "-c", folder / "nginx.conf"], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stderr
    with subprocess.Popen([NGINX, "-c", folder / "nginx.conf"], stderr=subprocess.DEVNULL) as nginx:
        try:
            until(lambda: accepts(port))
            yield port, plain
        finally:
            nginx.terminate()


def accepts(port):
    """Return whether a port of this machine accepts connections."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def write_site(folder, port, plain, upstream):
    """Write the shipped files, with the lines changed that an administrator changes.

    `upstream` is as in nginx.
    """
    for name in ("eventapi-http.conf", "eventapi-snippet.conf", "eventapi-tls.conf"):
        shutil.copy(ROOT / "conf" / "nginx" / name, folder / name)
    snippet = folder / "eventapi-snippet.conf"
    snippet.write_text(
        snippet.read_text()
        .replace("root /var/www/html;", f"root {folder}/html;")
        .replace("/var/log/nginx/", f"{folder}/")
    )
    site = (ROOT / "conf" / "nginx" / "eventapi.conf").read_text()
    for old, new in (
        ("server unix:/run/eventapi/web.sock;", f"server {upstream};"),
        ("snippets/eventapi.conf", f"{folder}/eventapi-snippet.conf"),
        ("snippets/eventapi-tls.conf", f"{folder}/eventapi-tls.conf"),
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("    listen [::]:443 ssl http2;\n", ""),
        ("    listen 80;\n", f"    listen 127.0.0.1:{plain};\n"),
        ("    listen [::]:80;\n", ""),
        ("/etc/ssl/certs/ssl-cert-snakeoil.pem", f"{folder}/cert.pem"),
        ("/etc/ssl/private/ssl-cert-snakeoil.key", f"{folder}/key.pem"),
    ):
        assert old in site, old
        site = site.replace(old, new)
    (folder / "site.conf").write_text(site)
    metrics = (ROOT / "conf" / "monitoring" / "nginx-metrics.conf").read_text()
    (folder / "metrics.conf").write_text(
        metrics.replace("127.0.0.1:9391", f"127.0.0.1:{free_port()}")
    )
    (folder / "nginx.conf").write_text(
        f"""
        daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1;
        events {{}}
        http {{ access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p;
          fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
          include {folder}/eventapi-http.conf; include {folder}/site.conf; include {folder}/metrics.conf; }}
        """
        + ("user root;" if os.geteuid() == 0 else "")
    )
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=events.example.org",
            "-keyout",
            folder / "key.pem",
            "-out",
            folder / "cert.pem",
        ],
        check=True,
        capture_output=True,
    )
