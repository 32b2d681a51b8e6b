"""The dashboard of Grafana and the alert rules of Prometheus, judged by promtool.

Debian's package prometheus contains promtool.
"""

import json
import re
import shutil
import subprocess

import pytest

from tests.support.processes import ROOT

MONITORING = ROOT / "conf" / "monitoring"
RULES = MONITORING / "alerts.yml"
PANELS = json.loads((MONITORING / "eventapi-dashboard.json").read_text())["panels"]
EXPRESSIONS = [target["expr"] for panel in PANELS for target in panel["targets"]]
needs_promtool = pytest.mark.skipif(
    not shutil.which("promtool"), reason="promtool is not installed"
)

TARGET = 'job="eventapi",instance="a"'
# An installation in which no alert fires: metric and labels -> samples, one each minute, for two
# days.
HEALTHY = {
    f"up{{{TARGET}}}": "1x2900",
    f"eventapi_worker_age_seconds{{{TARGET}}}": "5x2900",
    f"eventapi_schema_version{{{TARGET}}}": "26x2900",
    f"eventapi_schema_version_needed{{{TARGET}}}": "26x2900",
    f"eventapi_clock_behind_seconds{{{TARGET}}}": "0x2900",
    f"eventapi_clock_jumped_ahead{{{TARGET}}}": "0x2900",
    f"eventapi_backup_age_seconds{{{TARGET}}}": "86400x2900",
    f"eventapi_backup_copy_failed{{{TARGET}}}": "0x2900",
    f"eventapi_backup_copy_age_seconds{{{TARGET}}}": "86400x2900",
    f"eventapi_disk_bytes{{{TARGET}}}": "1000x2900",
    f"eventapi_disk_free_bytes{{{TARGET}}}": "500x2900",
    f"eventapi_wal_bytes{{{TARGET}}}": "4000000x2900",
    f"eventapi_outgoing_events_oldest_seconds{{{TARGET}}}": "2592000x2900",
    f'eventapi_webhooks{{state="failing",{TARGET}}}': "0x2900",
    f"eventapi_webhook_events_unseen{{{TARGET}}}": "9x2900",
    f"eventapi_mails_oldest_seconds{{{TARGET}}}": "30x2900",
    f'eventapi_mails{{state="failed",{TARGET}}}': "3x2900",
    f'eventapi_mails{{state="uncertain",{TARGET}}}': "1x2900",
    f"eventapi_bulk_import_records_waiting{{{TARGET}}}": "9000-3x2900",
}
# alert -> (metrics that differ, None for one that is missing; minute at which it does not fire yet;
# and does)
CASES = {
    "EventapiDown": ({"up": "1x9 0x60"}, 11, 13),
    "EventapiNotMonitored": ({"": None}, 9, 11),
    "EventapiWorkerSilent": ({"eventapi_worker_age_seconds": "5x9 121x60"}, 11, 13),
    "EventapiWorkerSilent, never seen": ({"eventapi_worker_age_seconds": None}, 1, 3),
    "EventapiSchemaMismatch": ({"eventapi_schema_version_needed": "26x9 27x60"}, 14, 16),
    "EventapiClockBehind": ({"eventapi_clock_behind_seconds": "0x9 61x60"}, 14, 16),
    "EventapiClockJumpedAhead": ({"eventapi_clock_jumped_ahead": "0x9 1x60"}, 9, 12),
    "EventapiBackupOld": ({"eventapi_backup_age_seconds": "93000+60x120"}, 39, 45),
    "EventapiBackupMissing": ({"eventapi_backup_age_seconds": None}, 1559, 1561),
    "EventapiBackupNotCopied": ({"eventapi_backup_copy_failed": "0x9 1x60"}, 39, 41),
    "EventapiBackupNotCopied, for long": (
        {"eventapi_backup_copy_age_seconds": "93000+60x120"},
        39,
        45,
    ),
    "EventapiDiskFilling": ({"eventapi_disk_free_bytes": "500x9 199x60"}, 24, 26),
    "EventapiDiskFull, and EventapiDiskFilling": ({"eventapi_disk_free_bytes": "49x60"}, 4, 16),
    "EventapiDiskFullSoon": ({"eventapi_disk_free_bytes": "900-0.6x600"}, 30, 400),
    "EventapiWalLarge": ({"eventapi_wal_bytes": "4000000x9 600000000x60"}, 39, 41),
    "EventapiHousekeepingStopped": (
        {"eventapi_outgoing_events_oldest_seconds": "2851201x100"},
        59,
        61,
    ),
    "EventapiWebhookFailing": ({'eventapi_webhooks{state="failing"': "2x2000"}, 1439, 1441),
    "EventapiWebhookBacklog": ({"eventapi_webhook_events_unseen": "1001x60"}, 9, 11),
    "EventapiMailOld": ({"eventapi_mails_oldest_seconds": "3601x60"}, 9, 11),
    "EventapiMailFailed": ({'eventapi_mails{state="uncertain"': "1x9 2x20"}, 9, 12),
    "EventapiImportStuck": ({"eventapi_bulk_import_records_waiting": "700x90"}, 14, 50),
}


def promtool(*words):
    return subprocess.run(["promtool", *map(str, words)], capture_output=True, text=True)


def names_in(text):
    return set(re.findall(r"\beventapi_\w+", text))


def test_every_metric_in_dashboard_and_rules_exists(app, organiser):
    text = app.get("/metrics").text
    known = set(re.findall(r"^# TYPE (\w+)", text, re.M))
    used = names_in(" ".join(EXPRESSIONS)) | names_in(" ".join(expressions()))
    assert used and used <= known, used - known
    organiser.post("/events", {"title": "Garden Fair"}, status=201)
    written = app.get("/metrics").text
    for state in re.findall(r'state(?:=~|=)"([\w|]+)"', RULES.read_text()):
        assert all(f'state="{word}"' in written for word in state.split("|")), state


def test_every_table_in_the_dashboard_counts_its_records(db):
    counted = {
        name
        for (name,) in db.connection.execute(
            "SELECT name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'"
        )
    }
    tables = {
        table for expression in EXPRESSIONS for table in re.findall(r'table="(\w+)"', expression)
    }
    assert tables and tables <= counted, tables - counted


def test_every_rule_has_a_case_and_says_what_to_do():
    text = RULES.read_text()
    names = re.findall(r"^ +- alert: (\w+)$", text, re.M)
    assert {name.partition(",")[0] for name in CASES} == set(names)
    assert (
        text.count("summary: ")
        == text.count("description: ")
        == text.count("severity: ")
        == len(names)
    )


def test_the_addresses_in_the_rules_are_those_that_prometheus_reads():
    """Port 80 of the machine is no such address: nginx redirects there, or serves another site."""
    port = re.search(r"listen 127.0.0.1:(\d+);", (MONITORING / "nginx-metrics.conf").read_text())[1]
    assert (
        f'targets: ["127.0.0.1:{port}"]' in (ROOT / "docs" / "guides" / "monitoring.md").read_text()
    )
    assert re.findall(r"http://[^/]+", RULES.read_text()) == ["http://{{ $labels.instance }}"]


def expressions():
    return re.findall(r"^ +expr: (.+)$", RULES.read_text(), re.M)


@needs_promtool
def test_promtool_accepts_the_rules_and_the_expressions_of_the_dashboard(tmp_path):
    checked = promtool("check", "rules", RULES)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    recorded = [
        {"record": f"panel:{number}", "expr": expression}
        for number, expression in enumerate(EXPRESSIONS)
    ]
    file = tmp_path / "dashboard.yml"
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": recorded}]}))
    checked = promtool("check", "rules", file)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@needs_promtool
def test_promtool_accepts_the_metrics(app, organiser):
    organiser.post("/events", {"title": "Garden Fair"}, status=201)
    checked = subprocess.run(
        ["promtool", "check", "metrics"],
        input=app.get("/metrics").text,
        capture_output=True,
        text=True,
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def series(different):
    """Return the samples of HEALTHY, with those of a case.

    A name stands for all series that begin with it.
    """
    found = {
        name: next(
            (samples for start, samples in different.items() if name.startswith(start)), usual
        )
        for name, usual in HEALTHY.items()
    }
    return [{"series": name, "values": samples} for name, samples in found.items() if samples]


def firing(minute, names):
    """Return the expectation that these alerts and no others fire at a minute."""
    return {
        "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
        "eval_time": f"{minute}m",
        "exp_samples": [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in names],
    }


@pytest.mark.processes
@needs_promtool
def test_each_alert_fires_when_it_should_and_no_other_does(tmp_path):
    cases = [
        {
            "interval": "1m",
            "input_series": series({}),
            "promql_expr_test": [firing(minute, []) for minute in (0, 60, 1500, 2880)],
        }
    ]
    for name, (different, before, after) in CASES.items():
        names = sorted(re.findall(r"Eventapi\w+", name))
        cases.append(
            {
                "interval": "1m",
                "input_series": series(different),
                "promql_expr_test": [firing(before, names[:0]), firing(after, names)],
            }
        )
    file = tmp_path / "cases.yml"
    file.write_text(
        json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": cases})
    )
    checked = promtool("test", "rules", file)
    assert checked.returncode == 0, checked.stdout + checked.stderr
