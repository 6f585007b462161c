# SPDX-License-Identifier: MIT
"""A real Prometheus of its own data and port that scrapes a daemon twice a second. PROGRAM is None
where it is not installed (Debian: prometheus)."""

import json
import shutil
import subprocess
import urllib.parse
import urllib.request

import harness
import ports

PROGRAM = shutil.which("prometheus")


class Prometheus:
    def __init__(self, stage, daemon, rules=()):
        """`rules`: paths of rule files."""
        self._directory = stage.directory / "prometheus"
        self._directory.mkdir()
        self._url = f"http://127.0.0.1:{ports.free_port()}"
        target = "{}:{}".format(*daemon.status_address)
        configuration = { # JSON is YAML
            "global": {"scrape_interval": "500ms", "evaluation_interval": "500ms"},
            "rule_files": [str(path) for path in rules],
            "scrape_configs": [{"job_name": "raimd", "static_configs": [{"targets": [target]}]}]}
        path = self._directory / "prometheus.yml"
        path.write_text(json.dumps(configuration), encoding="utf-8")
        self._log = open(self._directory / "log", "w", encoding="utf-8")
        self._process = subprocess.Popen(
            [PROGRAM, f"--config.file={path}", f"--storage.tsdb.path={self._directory}/data",
             f"--web.listen-address={self._url.removeprefix('http://')}"],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        self._log.close()

    def _ask(self, path):
        try:
            with urllib.request.urlopen(self._url + path, timeout=harness.START_S) as answer:
                return json.load(answer)["data"]
        except OSError as error:
            if self._process.poll() is not None:
                raise AssertionError((self._directory / "log").read_text()) from error
            return None

    def wait_scraped(self, times=1):
        """Waits until the daemon's own clock was read so often."""
        harness.poll("scrapes by Prometheus", lambda: any(
            int(float(row["value"][1])) >= times
            for row in self.query("count_over_time(raimd_uptime_seconds[1h])")), 30)

    def query(self, expression):
        """The rows of an instant query."""
        answer = self._ask("/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
        return answer["result"] if answer else []

    def targets(self):
        return self._ask("/api/v1/targets")["activeTargets"]

    def metadata(self):
        """What Prometheus has read of each family: its type and its help."""
        return self._ask("/api/v1/metadata")
