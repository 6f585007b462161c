#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What deploy/chart says of raimd is true of this raimd: its configuration is accepted, its alerts
and its dashboard use metrics that are served, and promtool fires each alert when it should."""

import contextlib
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

import harness
import prometheus
import sidecar
from harness import ROOT, Stage, arena
from ports import free_port

sys.path.insert(0, str(ROOT / "tests/deploy"))
import webhook # noqa: E402

try:
    import yaml
except ImportError:
    yaml = None

CHART = ROOT / "deploy/chart"
ALERTS = ROOT / "deploy/prometheus/alerts.yml"
BOARD = ROOT / "deploy/grafana/raimd.json"
PROMTOOL = shutil.which("promtool")
METRIC = re.compile(r"\b(?:raimd|process)_\w+")


def dashboard_queries(annotations=True):
    """What the dashboard asks Prometheus, with Grafana's variables filled in."""
    board = json.loads(BOARD.read_text(encoding="utf-8"))
    queries = [target["expr"] for panel in board["panels"] for target in panel.get("targets", [])]
    if annotations:
        queries += [annotation["expr"] for annotation in board["annotations"]["list"]]
    return [re.sub(r"\$(job|instance|arena)", ".*", query.replace("$__rate_interval", "1m"))
            for query in queries]


def check_configuration(text):
    """What raimd -t says of a configuration of the chart, with the maps of the source."""
    with tempfile.NamedTemporaryFile("w", suffix=".conf", encoding="utf-8") as file:
        file.write(text.replace("/usr/share/raimd", str(ROOT / "config")))
        file.flush()
        return subprocess.run([harness.BIN / "raimd", "-t", "-c", file.name], text=True,
                              capture_output=True, check=False)


def fleet_text(values):
    """templates/fleet.yaml with these values, one port, and without its pod; helm renders it whole."""
    known = {"mul .arenas .arenaPlayers": values["arenas"] * values["arenaPlayers"],
             "$port": values["firstPort"], "$.Release.Name": "raimd",
             **{f".{key}": value for key, value in values.items()},
             **{f".autoscaler.{key}": value for key, value in values["autoscaler"].items()}}
    lines = (CHART / "templates/fleet.yaml").read_text(encoding="utf-8").splitlines()
    return "\n".join(re.sub(r"\{\{ (.*?) \}\}", lambda found: str(known[found[1]]), line)
                     for line in lines if "{{-" not in line)


class DeployTest(unittest.TestCase):
    @unittest.skipIf(yaml is None, "no yaml module here (Debian: python3-yaml)")
    def test_the_configuration_is_accepted(self):
        values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
        ports = re.findall(r"port = (\d+)", values["config"])
        self.assertEqual(sorted(map(int, ports)), values["service"]["ports"])
        done = check_configuration(values["config"])
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipIf(yaml is None, "no yaml module here (Debian: python3-yaml)")
    def test_the_configuration_of_a_fleet_is_accepted(self):
        values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))["agones"]
        last = values["firstPort"] + values["arenas"] - 1
        done = check_configuration( # as templates/_pod.tpl writes it
            f'{values["config"]}\non_demand = {{\n  ports = "{values["firstPort"]}-{last}";\n'
            f'{values["onDemand"]}}};\nagones = {{ mode = "on"; ready = true; drain = '
            f'{values["terminationGracePeriodSeconds"] - 10}; }};\n')
        if "agones: got an unknown key" in done.stderr:
            self.skipTest("this raimd does not speak to Agones")
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipIf(yaml is None, "no yaml module here (Debian: python3-yaml)")
    def test_the_webhook_of_agones_takes_the_fleet(self):
        values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))["agones"]
        documents = list(yaml.safe_load_all(fleet_text(values)))
        self.assertEqual([it["kind"] for it in documents], ["Fleet", "FleetAutoscaler"])
        for document in documents:
            self.assertEqual(webhook.problems(document), [])
        fleet = documents[0]
        fleet["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] = 0
        self.assertIn("maxUnavailable: 0", "".join(webhook.problems(fleet)))
        # Of the order of removal: the process with most free arenas goes first.
        self.assertEqual(fleet["spec"]["priorities"],
                         [{"type": "Counter", "key": "arenas", "order": "Descending"}])

    @unittest.skipIf(yaml is None, "no yaml module here (Debian: python3-yaml)")
    def test_the_buffer_bridges_a_rollout(self):
        values = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))["agones"]
        scaler = values["autoscaler"]
        arenas = scaler["maxCapacity"] - scaler["bufferSize"]
        round_s = int(re.search(r"round_time = (\d+)", values["onDemand"])[1])
        self.assertGreaterEqual(scaler["bufferSize"], arenas / round_s * (30 + 11))
        self.assertIn(scaler["bufferSize"] % values["arenas"], range(4, 13))

    def test_allocations_want_arena_in_the_list_too(self):
        for path in (ROOT / "deploy/allocations").glob("*.yaml"):
            text = path.read_text(encoding="utf-8")
            self.assertEqual(text.count("counters: {arenas: {minAvailable: 1}}"), 2)
            self.assertEqual(text.count("lists: {arenas: {minAvailable: 1}}"), 2, path)

    def test_the_metrics_are_served(self):
        used = set(METRIC.findall(ALERTS.read_text(encoding="utf-8")))
        for query in dashboard_queries():
            used.update(METRIC.findall(query))
        self.assertGreater(len(used), 20)
        nowhere = f"http://127.0.0.1:{free_port()}/"
        with sidecar.Stub() as stub, Stage() as stage:
            daemon = stage.serve(arena("first", port=free_port()), hook_target=nowhere,
                                 bans_list=nowhere,
                                 env={**stub.env, "STATE_DIRECTORY": str(stage.directory)})
            served = set(METRIC.findall(daemon.ask("/metrics").text))
        self.assertEqual(used - served, set())

    @unittest.skipIf(PROMTOOL is None, "no promtool here (Debian: prometheus)")
    def test_the_alerts_fire(self):
        with tempfile.TemporaryDirectory() as directory:
            for path in (ALERTS, ROOT / "tests/deploy/alerts_test.yaml"):
                shutil.copy(path, directory)
            self.assertEqual(*self.promtool("check", "rules", "--lint=all", "--lint-fatal", "alerts.yml", cwd=directory))
            self.assertEqual(*self.promtool("test", "rules", "alerts_test.yaml", cwd=directory))
        named = set(re.findall(r"alert: (\w+)", ALERTS.read_text(encoding="utf-8")))
        tested = (ROOT / "tests/deploy/alerts_test.yaml").read_text(encoding="utf-8")
        self.assertEqual(named, set(re.findall(r"alertname: (\w+)", tested)))

    def test_the_chart_has_no_copies(self):
        files = {path.name: path.resolve() for path in (CHART / "files").iterdir()}
        programs = {path.name: path for path in (ROOT / "deploy/matchmaker").glob("*.py")}
        self.assertEqual(files, {"alerts.yaml": ALERTS, "dashboard.json": BOARD, **programs})

    @unittest.skipIf(prometheus.PROGRAM is None, "no prometheus here (Debian: prometheus)")
    def test_each_query_of_the_dashboard_has_data(self):
        with sidecar.Stub() as stub, Stage() as stage:
            daemon = stage.serve(arena("first", port=free_port(), bots=2, spectator_delay=0.0),
                                 env=stub.env)
            with prometheus.Prometheus(stage, daemon, [ALERTS]) as server, \
                    socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as rude:
                server.wait_scraped()
                clients = stage.bots(daemon, 2)
                daemon.wait_pressing(2)
                rude.sendto(b"nonsense", ("127.0.0.1", daemon.ports[0]))
                clients.stop(signal.SIGINT)
                daemon.wait_players(0)
                silent = dashboard_queries(annotations=False)
                def all_answered():
                    silent[:] = [query for query in silent if not server.query(query)]
                    return not silent
                with contextlib.suppress(AssertionError):
                    harness.poll("data for each query", all_answered, 15, 0.2)
        self.assertEqual(silent, [])

    @unittest.skipIf(PROMTOOL is None, "no promtool here (Debian: prometheus)")
    def test_prometheus_understands_the_dashboard(self):
        rules = [{"record": f"query:{index}", "expr": query}
                 for index, query in enumerate(dashboard_queries())]
        with tempfile.TemporaryDirectory() as directory:
            pathlib.Path(directory, "queries.yaml").write_text( # JSON is YAML
                json.dumps({"groups": [{"name": "queries", "rules": rules}]}), encoding="utf-8")
            self.assertEqual(*self.promtool("check", "rules", "queries.yaml", cwd=directory))

    def promtool(self, *words, cwd):
        """Its exit status and the wanted one, with its words for whoever reads the failure."""
        done = subprocess.run([PROMTOOL, *words], cwd=cwd, text=True, check=False,
                              capture_output=True, timeout=60)
        return done.returncode, 0, done.stdout + done.stderr


if __name__ == "__main__":
    harness.main()
