"""The networks by which the nginx site limits clients. nginx takes the address of the client from a
header here.
"""

import http.client
import ipaddress
import random
import subprocess
from itertools import product

import pytest

from tests.support import nginx_site
from tests.support.processes import ROOT, free_port, until

pytestmark = [pytest.mark.processes, nginx_site.required]

HTTP = (ROOT / "conf" / "nginx" / "eventapi-http.conf").read_text()


@pytest.fixture(scope="module")
def nginx(tmp_path_factory):
    """Return a connection to nginx with the shipped limits.

    It returns the address and the network of the client.
    """
    folder, port = tmp_path_factory.mktemp("networks"), free_port()
    (folder / "nginx.conf").write_text(f"""
        daemon off; pid {folder}/pid; error_log {folder}/error.log; worker_processes 1; events {{}}
        http {{
          access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
          uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
          {HTTP}
          server {{
            listen 127.0.0.1:{port}; set_real_ip_from 127.0.0.1; real_ip_header X-Client; limit_req_status 429;
            location / {{ add_header X-Address $remote_addr; add_header X-Network "<$eventapi_network>"; return 204; }}
            location /link/ {{ limit_req zone=eventapi_forms burst=60 nodelay; try_files /none =204; }}
            location /feeds/ {{ limit_req zone=eventapi_public burst=40 nodelay; try_files /none =204; }}
          }}
        }}""")
    with subprocess.Popen([nginx_site.NGINX, "-c", folder / "nginx.conf"]) as process:
        try:
            until(lambda: nginx_site.accepts(port))
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            yield connection
            connection.close()
        finally:
            process.terminate()


def ask(nginx, client, method="GET", path="/"):
    nginx.request(method, path, headers={"X-Client": str(client)})
    response = nginx.getresponse()
    response.read()
    return response


def network(nginx, client):
    response = ask(nginx, client)
    assert ipaddress.ip_address(response.getheader("X-Address")) == ipaddress.ip_address(client)
    return response.getheader("X-Network")


# Two addresses each of one /64, in all ways in which nginx shortens the first four groups.
SAME = [
    ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::1"),
    ("2001:db8:1::1", "2001:db8:1:0:1::"),
    ("2001:db8::1", "2001:db8:0:0:1::"),
    ("2001::1", "2001:0:0:0:1:0:0:1"),
    ("2001::1:2:3:4:5", "2001:0:0:1:6::"),
    ("2001:db8:0:1:2:3:4:5", "2001:DB8:0000:1::"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_addresses_of_a_host_are_one_network(nginx, one, other):
    assert network(nginx, one) == network(nginx, other)


def test_two_addresses_are_one_network_exactly_if_their_first_four_groups_are_equal(nginx):
    """The judge is Python.

    Groups that are 0 are frequent here, since they change how an address is written.
    """
    chosen, found = random.Random(7), {}
    starts = list(product(("2001", "fd00"), ("0", "0", "db8"), ("0", "0", "1"), ("0", "0", "2f")))
    for start in starts:
        for _ in range(12):
            groups = [*start, *(chosen.choice(("0", "0", "1", "ffff")) for _ in range(4))]
            address = ipaddress.ip_address(":".join(groups))
            found.setdefault(network(nginx, address), set()).add(int(address) >> 64)
    assert len(found) == len(set(starts)) and all(len(networks) == 1 for networks in found.values())


def test_each_ipv4_address_is_a_network_of_its_own(nginx):
    addresses = ["192.0.2.1", "192.0.2.2", "198.51.100.1", "10.0.0.1"]
    assert len({network(nginx, address) for address in addresses}) == 4


@pytest.mark.parametrize(("method", "path"), [("POST", "/link/evl_x"), ("GET", "/feeds/x")])
def test_a_host_with_many_addresses_has_the_limit_of_one(nginx, method, path):
    def send(addresses):
        return [ask(nginx, address, method, path).status for address in addresses]

    part = "a" if method == "POST" else "b"
    statuses = send(f"2001:db8:{part}:1::{number:x}" for number in range(200))
    assert statuses[0] == 204 and statuses.count(429) > 50
    assert send(f"2001:db8:{part}:{number:x}::1" for number in range(2, 102)) == [204] * 100
    assert send(f"192.0.{number}.{ord(part)}" for number in range(100)) == [204] * 100
