"""The commands of the units work although the units deny system calls
(packaging/systemd/hardening.conf).
"""

import re
import shutil
import subprocess

import pytest

from tests.support.processes import PYTHON, ROOT, environment, eventapi

# @privileged and @resources of systemd.exec(5), as `systemd-analyze syscall-filter` of systemd 252
# lists them.
DENIED = {
    "@privileged": "chown fchown fchownat lchown adjtimex clock_adjtime clock_settime settimeofday delete_module "
    "finit_module init_module ioperm iopl reboot swapoff swapon acct bpf capset chroot fanotify_init "
    "fanotify_mark open_by_handle_at pivot_root quotactl setdomainname setfsuid setgroups sethostname "
    "setresuid setreuid setuid vhangup",
    "@resources": "ioprio_set mbind migrate_pages move_pages sched_setaffinity sched_setattr sched_setparam "
    "sched_setscheduler set_mempolicy setpriority setrlimit",
}
pytestmark = pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")


def test_the_units_deny_these_groups():
    text = (ROOT / "packaging" / "systemd" / "hardening.conf").read_text()
    assert re.findall(r"^SystemCallFilter=~(.*)$", text, re.M) == [" ".join(DENIED)]
    assert "SystemCallErrorNumber=EPERM" in text


@pytest.mark.processes
@pytest.mark.parametrize(
    ("unit", "words"), [("eventapi-backup", ["backup"]), ("eventapi-worker", ["worker", "--once"])]
)
def test_a_command_of_a_unit_works_without_them(tmp_path, unit, words):
    text = (ROOT / "packaging" / "systemd" / f"{unit}.service").read_text()
    assert f"-m eventapi {words[0]}\n" in text
    nice = re.search(r"^Nice=(\d+)$", text, re.M)
    assert eventapi(tmp_path, "migrate").returncode == 0
    calls = ",".join(" ".join(DENIED.values()).split())
    run = subprocess.run(
        [
            "nice",
            "-n",
            nice[1] if nice else "0",
            "strace",
            "-f",
            "-qqq",
            "-o",
            "/dev/null",
            "-e",
            f"trace={calls}",
            "-e",
            f"inject={calls}:error=EPERM",
            PYTHON,
            "-m",
            "eventapi",
            *words,
        ],
        env=environment(tmp_path),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout + run.stderr
