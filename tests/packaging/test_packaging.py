"""The files of the Debian package: units, site, manual, completion and commands.

Tests that need a complete Debian system are in packaging/debian/tests.
"""

import configparser
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess

import pytest

from eventapi import config
from eventapi.app import routes as all_routes
from eventapi.cli import completion, make_parser
from eventapi.cli import status as state
from tests.support.processes import ROOT

PACKAGING = ROOT / "packaging"
SNIPPET = (ROOT / "conf" / "nginx" / "eventapi-snippet.conf").read_text()
USUAL_MB = int(re.search(r"(?m)^client_max_body_size (\d+)m;", SNIPPET)[1])
SMALL = ("/api/v1/participants/7/profile/logo",)  # routes whose files are smaller than other bodies
# Each process of the web service may notify systemd (NotifyAccess=all), which counts 0.1.
SERVICES = {"eventapi.service": 0.6, "eventapi-worker.service": 1.2, "eventapi-backup.service": 0.5}


@pytest.fixture(scope="module")
def units(tmp_path_factory):
    folder = tmp_path_factory.mktemp("units")
    subprocess.run([PACKAGING / "units", folder], check=True)
    return folder


@pytest.fixture(scope="module")
def reference():
    spec = importlib.util.spec_from_file_location("reference", PACKAGING / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def settings(file):
    """Return a unit as {section: {name: [values]}}."""
    sections, section = {}, None
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            name, _, value = line.partition("=")
            section.setdefault(name, []).append(value)
    return sections


# Units


def test_every_unit_has_a_template_for_tenants(units):
    plain = {file.name for file in units.iterdir() if "@" not in file.name}
    assert plain == {*SERVICES, "eventapi.socket", "eventapi-backup.timer"}
    assert {file.name.replace("@", "") for file in units.iterdir() if "@" in file.name} == plain


def test_a_template_shares_nothing_with_the_service_of_the_package(units):
    shared = r"eventapi\.(conf|socket|way-back)|eventapi/web\.sock|lib/eventapi($|[^-])|=eventapi$"
    for file in units.glob("*@.*"):
        for section in settings(file).values():
            for name, values in section.items():
                text = " ".join(values)
                if name not in ("Documentation", "Description", "TemporaryFileSystem"):
                    assert not re.search(shared, f"={text}"), (file.name, name)
        service = settings(file).get("Service")
        assert not service or (service["User"], service["StateDirectory"]) == (
            ["eventapi-%i"],
            ["eventapi-%i"],
        )


def test_a_tenant_sees_no_data_of_others(units):
    """The parent of its directory belongs to root, so that nobody else can replace it."""
    for file in units.glob("*@.service"):
        service = settings(file)["Service"]
        assert service["TemporaryFileSystem"] == ["/var/lib:ro"]
        assert service["BindPaths"] == ["/var/lib/eventapi-%i"]


def test_every_hardening_setting_has_a_reason():
    reason = False
    for line in (PACKAGING / "systemd" / "hardening.conf").read_text().splitlines():
        reason = bool(line) and (reason or line.startswith("#"))
        assert reason or not line, f"{line}: why?"


def test_services_are_limited_and_hardened(units):
    for name in SERVICES:
        service = settings(units / name)["Service"]
        assert "@hardening@" not in (units / name).read_text()
        # no code from data_dir
        assert "HOME=/nonexistent PYTHONNOUSERSITE=1" in service["Environment"], name
        assert {
            "MemoryMax",
            "NoNewPrivileges",
            "ProtectSystem",
            "SystemCallFilter",
            "SyslogIdentifier",
        } <= service.keys(), name
    assert settings(units / "eventapi.service")["Service"]["RestrictAddressFamilies"] == ["AF_UNIX"]


def test_a_reload_that_would_fail_does_not_reach_the_server(units):
    for name in ("eventapi.service", "eventapi@.service"):
        check, reload = settings(units / name)["Service"]["ExecReload"]
        assert check.endswith(" serve --check")
        assert check.split()[:-1] == settings(units / name)["Service"]["ExecStart"][0].split()
        assert reload == "/bin/kill -HUP $MAINPID"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_accepts_the_units_and_rates_them_as_safe(units):
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units.iterdir()],
        capture_output=True,
        text=True,
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{units}:"},
    )
    assert not [
        line
        for line in checked.stderr.splitlines()
        if "eventapi" in line and "is not executable" not in line
    ]
    for name, most in SERVICES.items():
        for unit in (name, name.replace(".", "@.")):
            judged = subprocess.run(
                [
                    "systemd-analyze",
                    "security",
                    "--offline=true",
                    "--no-pager",
                    f"--threshold={most * 10:.0f}",
                    units / unit,
                ],
                capture_output=True,
                text=True,
            )
            assert judged.returncode == 0, judged.stdout[-200:]


def test_no_secret_is_recommended_for_the_environment_of_a_unit(units):
    """Every local user can read it: systemctl show -p Environment."""
    for file in (
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "conf").rglob("*.conf"),
        *units.iterdir(),
        ROOT / "README.md",
        *(PACKAGING / "man").iterdir(),
    ):
        assert not re.search(
            r"Environment=\S*(PASSWORD|SECRET|TOKEN|KEY)", file.read_text(encoding="utf-8")
        ), file
    assert (
        "\nLoadCredential=smtp_password:/etc/eventapi/smtp_password\n"
        in (ROOT / "docs/operations.md").read_text()
    )


# Manual


def test_the_manual_has_every_option_with_its_default(reference):
    page = reference.options_page("1.0", "2026-11-20")
    for option in config.OPTIONS:
        assert (
            f'.BR {reference.quoted(option.name)} " (default: '
            f'{reference.quoted(option.default or "empty")})"\n{reference.quoted(option.description)}'
        ) in page


def test_the_manual_has_every_command_with_its_options(reference):
    page = reference.commands_page("1.0", "2026-11-20")
    found = list(reference.commands())
    assert {("migrate",), ("key", "create"), ("audit", "verify")} <= {
        words for words, _, _ in found
    }
    for words, _, parser in found:
        assert f".SS eventapi {reference.quoted(' '.join(words))}" in page
        for action in reference.options(parser):
            for option in action.option_strings:
                assert reference.quoted(option) in page


def test_the_manual_has_the_examples_and_the_fields_of_each_command(reference):
    page = reference.commands_page("1.0", "2026-11-20")
    for words, _, parser in reference.commands():
        heading = re.escape(f".SS eventapi {reference.quoted(' '.join(words))}")
        section = re.split(rf"\n{heading}(?=[ \n])", page)[1].partition("\n.S")[0]
        assert parser.examples and all(
            f"\n{reference.quoted(example)}\n" in section for example in parser.examples
        )
        assert all(f"{reference.quoted(name)}: " in section for name in parser.fields)
    assert "\n.SH EXAMPLES\n" in page and reference.quoted(make_parser().examples[0]) in page


def test_the_example_of_the_configuration_is_complete(reference, tmp_path):
    (tmp_path / "eventapi.conf").write_text(reference.EXAMPLE_OPTIONS)
    settings = config.load(tmp_path / "eventapi.conf", environ={})
    assert list(state._recommended(state.Place("eventapi", ""), settings)) == []
    page = reference.options_page("1.0", "2026-11-20")
    assert all(
        f"\n{reference.quoted(line)}\n" in page for line in reference.EXAMPLE_OPTIONS.splitlines()
    )


@pytest.mark.parametrize("page", ["eventapi-backup.8", "eventapi-instance.8"])
def test_the_examples_of_the_other_manuals_are_valid_commands(page):
    """Those of eventapi are parsed.

    Those of eventapi-instance are in its help, which its own test runs.
    """
    text = (
        (PACKAGING / "man" / page).read_text().partition(".SH EXAMPLES\n")[2].partition("\n.SH")[0]
    )
    blocks = re.findall(r"\.nf\n(.*?)\.fi", text.replace("\\-", "-"), re.S)
    assert len(blocks) >= 3
    for command in re.findall(
        r"\beventapi((?: +[^;\n]+)?)", "\n".join(blocks).replace('"$name"', "x")
    ):
        if command.startswith(" "):
            make_parser().parse_args(shlex.split(command))


@pytest.mark.parametrize(
    "words, status, said",
    [
        (["--help"], 0, "examples:"),
        (["add", "--help"], 0, "examples:"),
        (["help"], 0, "examples:"),
        (["list"], 0, ""),
        (["list", "--json"], 0, "[]"),
        ([], 2, "a command is missing: add, list, status or remove; for example: "),
        (["ad", "x"], 2, "unknown command 'ad'; for example: eventapi-instance add acme"),
        (["add"], 2, "add needs the name of one tenant; for example: eventapi-instance add acme"),
        (
            ["remove"],
            2,
            "remove needs the name of one tenant; for example: eventapi-instance remove acme",
        ),
        (["remove", "--prge", "x"], 2, "; for example: "),
        (["list", "x"], 2, "unexpected argument 'x'; for example: "),
        (["status", "--help"], 0, "examples:"),
        (["status", "x"], 2, "'x'; for example: eventapi-instance status --json"),
        (["status", "--json", "x"], 2, "; for example: eventapi-instance status --json"),
    ],
)
def test_the_command_for_tenants_explains_its_usage(words, status, said):
    done = subprocess.run(
        ["sh", PACKAGING / "bin" / "eventapi-instance", *words], capture_output=True, text=True
    )
    shown, other = (done.stdout, done.stderr) if status == 0 else (done.stderr, done.stdout)
    assert (done.returncode, other) == (status, "") and said in shown
    assert status == 0 or re.fullmatch(r"eventapi-instance: [^\n]+; [^\n]+\n", shown)


def test_the_command_for_tenants_lists_them_as_json(tmp_path):
    script = (PACKAGING / "bin" / "eventapi-instance").read_text()
    functions = script[: script.index("[ $# -ge 1 ] || usage")]
    for names in ((), ("acme",), ("acme", "b-2")):
        run = functions + "tenants() { printf '%s\\n' " + " ".join(names) + "; }; tenants_json"
        assert json.loads(subprocess.check_output(["sh", "-c", run], text=True)) == [
            {"name": name, "configuration": f"/etc/eventapi/{name}.conf"} for name in names
        ]


def test_the_manual_and_the_installed_documents_lead_to_existing_files(reference):
    """The package installs these files below /usr/share/doc/eventapi, and does not compress them."""
    installed = (PACKAGING / "debian" / "eventapi.docs").read_text().split()
    page = reference.commands_page("1.0", "2026-11-20")
    for path in re.findall(r"/usr/share/doc/eventapi/(\S+)", page):
        assert (ROOT / path).is_file() and (
            path in installed or path.partition("/")[0] in installed
        ), path
    for file in [ROOT / name for name in installed if name.endswith(".md")]:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", file.read_text(encoding="utf-8")):
            assert target in installed or target.partition("/")[0] in installed, (
                f"{file.name} links to {target}"
            )
    assert "dh_compress -X.md" in (PACKAGING / "debian" / "rules").read_text()


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_the_manual_is_valid_troff(reference, tmp_path):
    reference.main(tmp_path, "1.0", "1795000000")
    for file in (
        tmp_path / "eventapi.1",
        tmp_path / "eventapi.conf.5",
        *(PACKAGING / "man").iterdir(),
    ):
        read = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-z", file], capture_output=True, text=True
        )
        assert (read.returncode, read.stderr) == (0, ""), file


def test_the_package_installs_the_completion_of_each_shell(reference, tmp_path):
    """tests/cli/test_completion.py tests the scripts."""
    reference.main(tmp_path, "1.0", "1795000000")
    rules = (PACKAGING / "debian" / "rules").read_text()
    for shell, path in (
        ("bash", "bash-completion/completions/eventapi"),
        ("zsh", "zsh/vendor-completions/_eventapi"),
        ("fish", "fish/vendor_completions.d/eventapi.fish"),
    ):
        assert (tmp_path / f"eventapi.{shell}-completion").read_text() == completion.script(
            make_parser(), shell
        )
        assert f"debian/eventapi.{shell}-completion $(INTO)/usr/share/{path}\n" in rules


# The command for tenants. test_command.py tests the command eventapi.


@pytest.mark.parametrize(
    "name", ["files", "backups", "eventapi", "Acme", "a/b", "../x", "-x", "a" * 21, ""]
)
def test_an_unsafe_tenant_name_is_refused(name, tmp_path):
    (tmp_path / "id").write_text("#!/bin/sh\necho 0\n")
    (tmp_path / "id").chmod(0o755)
    done = subprocess.run(
        ["sh", PACKAGING / "bin" / "eventapi-instance", "add", name],
        capture_output=True,
        text=True,
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )
    assert done.returncode in (1, 2) and done.stderr


# nginx and fail2ban


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    file = tmp_path_factory.mktemp("site") / "eventapi"
    subprocess.run([PACKAGING / "nginx" / "site", file], check=True)
    return file


def test_the_site_consists_of_the_tested_parts(site):
    text = site.read_text()
    for part in ("eventapi-http.conf", "eventapi-snippet.conf"):
        assert (ROOT / "conf" / "nginx" / part).read_text() in text
    assert (
        "unix:/run/eventapi/web.sock" in text and "@http@" not in text and "@locations@" not in text
    )


@pytest.mark.processes
@pytest.mark.skipif(
    not shutil.which("nginx", path="/usr/sbin:/usr/bin"), reason="nginx is not installed"
)
def test_nginx_accepts_the_shipped_site(site, tmp_path):
    (tmp_path / "nginx.conf").write_text(
        f"pid {tmp_path}/pid; error_log stderr; events {{}} http "
        f"{{ access_log off; include {site}; }}"
    )
    checked = subprocess.run(
        ["/usr/sbin/nginx", "-t", "-p", tmp_path, "-c", tmp_path / "nginx.conf"],
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stderr


def uploads(usual):
    """Return (path, largest size in bytes) of each route that takes a file or a picture."""
    found = []
    for route in all_routes():
        path = re.sub("<(?:ref|key)>", "roses", route.path)
        path = re.sub("<[a-z_]+>", "7", path)
        if route.options.file:
            found.append((path, route.options.file(usual)))
        elif route.options.raw_body and path not in SMALL:
            found.append((path, usual.max_upload_mb * 1024**2))
    return found


def largest_body(path):
    """Return how many bytes nginx accepts at a path: in the first location that matches."""
    locations = re.findall(r"(?ms)^location ~ (\S+) \{$(.*?)^\}", SNIPPET)
    for pattern, lines in locations:
        if re.search(pattern, path):
            own = re.search(r"client_max_body_size (\d+)m;", lines)
            return int(own[1] if own else USUAL_MB) * 1024**2
    return USUAL_MB * 1024**2


def test_nginx_lets_every_file_through(settings):
    refused = [path for path, size in uploads(settings) if largest_body(path) <= size]
    assert refused == []
    assert largest_body("/api/v1/submissions") == USUAL_MB * 1024**2


def test_the_filter_matches_guessed_keys_only():
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(PACKAGING / "fail2ban" / "filter.conf")
    # Each line is an expression of its own. fail2ban removes the time from the line of the log
    # before it matches.
    api, desk = (
        re.compile(line.replace("<HOST>", r"(?P<host>[0-9a-f.:]+)"))
        for line in parser["Definition"]["failregex"].splitlines()
    )
    line = '203.0.113.9 - - [] "{} {} HTTP/1.1" {} 312 "-" "curl/7.88.1" '
    for path in (
        "/api/v1/events?page=2",
        "/%61pi/v1/events",
        "/api%2fv1/events",
        "/api%2Fv%31",
        "/%61%70%69/%76%31/events?a=%22",
        "http://events.example.org/api/v1/events",
        "https://a/%61pi/v1",
    ):
        assert api.search(line.format("GET", path, 401))["host"] == "203.0.113.9", path
    assert api.search('203.0.113.9 - a b [] "GET /api/v1/events" 401 312 "-" "-"')
    for path in (
        "/desk/sign-in",
        "/desk/sign-in?language=de",
        "/desk/sign-in/code",
        "/desk/edit/contacts/1",
        "/%64esk/sign-in",
        "/desk%2fsign%2Din",
        "/%64%65%73%6b%2F%73%69%67%6E%2d%69%6e",
        "https://events.example.org/desk/sign-in",
    ):
        assert desk.search(line.format("POST", path, 401))["host"] == "203.0.113.9", path
    others = [
        ("GET", path, status)
        for path, status in (
            ("/api/v1/events", 200),
            ("/api/v1/events", 403),
            ("/docs", 401),
            ('/x" 401 "', 200),
        )
    ]
    others += [
        ("POST", "/desk/sign-in", 303),
        ("POST", "/desk/sign-in", 403),
        ("POST", "/desk/sign-in", 429),
        ("GET", "/desk/sign-in", 401),
        ("POST", "/desktop", 401),
    ]
    for method, path, status in others:
        assert not any(
            pattern.search(line.format(method, path, status)) for pattern in (api, desk)
        ), path


def test_the_jail_is_disabled_and_uses_the_ban_action_of_debian():
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(PACKAGING / "fail2ban" / "jail.conf")
    assert (
        parser["eventapi"]["enabled"] == "false"
        and parser["eventapi"]["banaction"] == "nftables-multiport"
    )
    # names need /etc/services, which a small Debian lacks
    assert parser["eventapi"]["port"] == "80,443"


def test_the_jail_warns_that_an_address_can_be_a_hall_and_its_number_is_the_one_in_the_documentation():
    text = (PACKAGING / "fail2ban" / "jail.conf").read_text()
    comment = text.partition("[eventapi]\nenabled")[0]
    assert "whole hall" in comment and "ignoreip" in comment
    assert re.search(r"(?m)^maxretry = 40\nfindtime = 10m\nbantime  = 1h$", text)
    for words in ("operations.md", "fundamentals/authentication.md"):
        told = " ".join((ROOT / "docs" / words).read_text().split())
        assert re.search(r"an address that (receives|gets) 40 (responses|of them)", told), words


# The repository, and the scripts of the package


@pytest.mark.parametrize(
    "version, told",
    [
        ("1.0.0", "run: apt install eventapi=1.0.0\n"),
        (
            "1.0",
            "install the file of that version: apt install --allow-downgrades ./eventapi_1.0_all.deb\n",
        ),
        (
            "1.1.0~git202611281142.2ea4048f",
            "install the file of that version: "
            "apt install --allow-downgrades ./eventapi_1.1.0~git202611281142.2ea4048f_all.deb\n",
        ),
        ("", "install its file: apt install --allow-downgrades ./eventapi_VERSION_all.deb\n"),
    ],
)
def test_the_way_back_names_a_version_of_apt_only_if_apt_has_it(version, told, tmp_path):
    known = "  eventapi |      1.0.0 | https://apt.example.org bookworm/main amd64 Packages\n"
    (tmp_path / "apt-cache").write_text(
        f"#!/bin/sh\n[ \"$*\" = 'madison eventapi' ] && echo '{known}'\n"
    )
    (tmp_path / "apt-cache").chmod(0o755)
    run = f". {PACKAGING}/maintain.sh; way_back '{version}'"
    path = f"{tmp_path}:{os.environ['PATH']}"
    said = subprocess.check_output(["sh", "-euc", run], text=True, env={"PATH": path})
    assert said == f"To return to the previous version, {told}"


@pytest.mark.skipif(
    not all(map(shutil.which, ("reprepro", "gpg", "dpkg-deb"))),
    reason="reprepro, gnupg or dpkg is not installed",
)
def test_the_apt_repository_is_signed_and_keeps_the_previous_version(tmp_path):
    (tmp_path / "deb" / "DEBIAN").mkdir(parents=True)
    (tmp_path / "deb" / "DEBIAN").chmod(0o755)  # for any umask
    for version in ("1.0", "2.0"):
        (tmp_path / "deb" / "DEBIAN" / "control").write_text(
            f"Package: eventapi\nVersion: "
            f"{version}\nArchitecture: all\nSection: web\n"
            "Priority: optional\nMaintainer: x "
            "<x@example.org>\nDescription: x\n"
        )
        deb = tmp_path / f"eventapi_{version}_all.deb"
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "--build", tmp_path / "deb", deb],
            check=True,
            capture_output=True,
        )
        subprocess.run(
            [PACKAGING / "apt-repo", tmp_path],
            check=True,
            capture_output=True,
            env={**os.environ, "EVENTAPI_SIGN_KEY": "", "EVENTAPI_APT_URL": "https://here.example"},
        )
        deb.unlink()
    apt = tmp_path / "apt"
    for codename in ("bookworm", "trixie"):
        for suite, version in ((codename, "2.0"), (f"{codename}-previous", "1.0")):
            packages = apt / "dists" / suite / "main" / "binary-amd64" / "Packages"
            assert f"\nVersion: {version}\n" in packages.read_text()
            subprocess.run(
                [
                    "gpgv",
                    "--keyring",
                    apt / "eventapi-archive-keyring.gpg",
                    apt / "dists" / suite / "InRelease",
                ],
                check=True,
                capture_output=True,
            )
        source = (apt / f"{codename}.sources").read_text()
        assert f"URIs: https://here.example\nSuites: {codename} {codename}-previous\n" in source
    assert not list(apt.rglob("*private*"))  # the private key is not in the served folder


def test_maintainer_scripts_are_valid_and_not_interactive():
    for name in ("postinst", "prerm", "postrm"):
        script = (PACKAGING / "debian" / name).read_text()
        assert script.startswith("#!/bin/sh\n") and "\nset -e\n" in script
        assert "#DEBHELPER#" in script and "\nread " not in script
        subprocess.run(["sh", "-n", PACKAGING / "debian" / name], check=True)
