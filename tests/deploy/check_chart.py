#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Validates the Helm chart and what lies beside it with the schemas of those who read them.

The chart is rendered in both forms, with everything on and with the defaults. Each resource must
have a schema: Kubernetes' own OpenAPI, the CRDs of Agones and of the Prometheus Operator, all taken
from their Go modules. A field that the schema does not name is a mistake. GameServerAllocation
is no CRD; its fields are those of Agones' Go types. The dashboard must survive Grafana's own SDK.

./dev chart fetches what this needs into build/tools and Go's module cache, and runs it. Exits 77
with the reason where something cannot be had.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import webhook

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ROOT / "build/tools"
CHART = ROOT / "deploy/chart"
SKIPPED = 77
KUBERNETES = "k8s.io/kubernetes@v1.34.1"
OPERATOR = "github.com/prometheus-operator/prometheus-operator@v0.79.2"
AGONES = "agones.dev/agones@v1.52.0"
OPERATOR_CRDS = "example/prometheus-operator-crd/monitoring.coreos.com_{}.yaml"
ALL_ON = [word for name in ("podMonitor", "alerts", "dashboard")
          for word in ("--set", f"{name}.enabled=true")]
RENDERINGS = {
    "one server": [],
    "one server, everything on": [*ALL_ON, "--set", "web.enabled=true,web.image=raim-web"],
    "Agones": ["--set", "agones.enabled=true"],
    "Agones, everything on": ["--set", "agones.enabled=true", *ALL_ON,
                              "--set", "matchmaker.enabled=true,matchmaker.image=python"],
}


class Unavailable(Exception):
    """What is missing here."""


try:
    import jsonschema
    import yaml
except ImportError as error:
    print(f"skipped: {error}; Debian: python3-jsonschema, python3-yaml")
    sys.exit(SKIPPED)


def module(name, override=None):
    """The directory of a Go module that has been downloaded."""
    if override:
        return override
    try:
        cache = subprocess.run(["go", "env", "GOMODCACHE"], text=True, capture_output=True,
                               check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        raise Unavailable("no Go here") from None
    directory = pathlib.Path(cache, name)
    if not directory.is_dir():
        raise Unavailable(f"no {name} in Go's module cache")
    return directory


def helm(*words):
    program = shutil.which("helm", path=f"{TOOLS}/bin:{os.environ['PATH']}")
    if program is None:
        raise Unavailable("no helm here")
    return subprocess.run([program, *map(str, words)], text=True, capture_output=True, check=False)


# --- schemas ---

def strict(schema):
    """The schema with its unknown fields rejected, and in the form of JSON Schema."""
    if isinstance(schema, list):
        return [strict(it) for it in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: strict(value) for key, value in schema.items()}
    if schema.get("x-kubernetes-int-or-string") or schema.get("format") == "int-or-string":
        schema.pop("type", None)
        return schema
    if isinstance(schema.get("properties"), dict) and "additionalProperties" not in schema \
            and not schema.get("x-kubernetes-preserve-unknown-fields"):
        schema["additionalProperties"] = False
    return schema


def resource(schema):
    """A CRD's schema, which leaves these fields to Kubernetes."""
    schema = strict(schema)
    for name in ("apiVersion", "kind", "metadata"):
        schema["properties"].setdefault(name, {})
    return schema


class Schemas:
    """What each kind of resource may contain."""

    def __init__(self, agones):
        self.kubernetes = module(KUBERNETES) / "api/openapi-spec/v3"
        self.crds = {}
        for kind in ("podmonitors", "prometheusrules"):
            self.add_crds(module(OPERATOR) / OPERATOR_CRDS.format(kind))
        self.agones = agones
        if agones:
            self.add_crds(agones / "install/yaml/install.yaml")

    def add_crds(self, path):
        for crd in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            if crd and crd["kind"] == "CustomResourceDefinition":
                for version in crd["spec"]["versions"]:
                    key = (f"{crd['spec']['group']}/{version['name']}", crd["spec"]["names"]["kind"])
                    self.crds[key] = resource(version["schema"]["openAPIV3Schema"])

    def find(self, version, kind):
        """The schema of a resource, or None."""
        if (version, kind) in self.crds:
            return self.crds[version, kind]
        name = version.replace("/", "__") if "/" in version else version
        path = self.kubernetes / f"{'apis' if '/' in version else 'api'}__{name}_openapi.json"
        if not path.exists():
            return None
        document = json.loads(path.read_text(encoding="utf-8"))
        group, _, number = version.rpartition("/")
        for name, schema in document["components"]["schemas"].items():
            if {"group": group, "version": number, "kind": kind} in schema.get(
                    "x-kubernetes-group-version-kind", []):
                return {"$ref": f"#/components/schemas/{name}",
                        "components": strict(document["components"])}
        return None

    def problems(self, document):
        """What is wrong with a resource."""
        version, kind = document.get("apiVersion"), document.get("kind")
        schema = self.find(version, kind)
        if schema is None:
            if version.split("/")[0].endswith("agones.dev") and not self.agones:
                return # counted as skipped
            yield f"{version} {kind}: no schema"
            return
        for error in jsonschema.Draft7Validator(schema).iter_errors(document):
            path = ".".join(map(str, error.absolute_path))
            yield f"{kind} {document['metadata'].get('name')}: {path}: {error.message[:300]}"


# --- what is checked ---

def pod_problems(document):
    """A raimd that crashed must find its checkpoints again: the pod of a Fleet restarts it."""
    if document["kind"] == "Fleet":
        policy = document["spec"]["template"]["spec"]["template"]["spec"].get("restartPolicy")
        if policy != "OnFailure":
            yield f"Fleet: restartPolicy: {policy}: want OnFailure"


def matchmaker_problems(documents):
    """What the matchmaker's pod is given is what its settings and its program ask for."""
    found = {it["kind"]: it for it in documents if it["metadata"]["name"].endswith("-matchmaker")}
    if not found:
        return
    pod = found["Deployment"]["spec"]["template"]["spec"]
    files = found["ConfigMap"]["data"]
    settings = json.loads(files["matchmaker.json"])
    region = settings["regions"]["here"]
    paths = [settings["key"], *(path for path in region["allocator"].values()
                                if path.startswith("/"))]
    mounts = [it["mountPath"] + "/" for it in pod["containers"][0]["volumeMounts"]]
    yield from (f"matchmaker: no volume has {path}" for path in paths
                if not path.startswith(tuple(mounts)))
    for name in ("matchmaker.py", "arena_sources.py", "bounded_server.py"):
        source = (ROOT / "deploy/matchmaker" / name).read_text(encoding="utf-8")
        if files[name].strip() != source.strip():
            yield f"matchmaker: {name} is not that of deploy/matchmaker"
    if found["Role"]["rules"] != [
            {"apiGroups": ["agones.dev"], "resources": ["gameservers"], "verbs": ["get"]}]:
        yield "matchmaker: its Role is not what wait_for_report asks"
    account = pod["serviceAccountName"]
    if found["ServiceAccount"]["metadata"]["name"] != account or \
            [it["name"] for it in found["RoleBinding"]["subjects"]] != [account]:
        yield "matchmaker: the Role is not bound to its account"
    labels = found["Deployment"]["spec"]["template"]["metadata"]["labels"]
    if not found["Service"]["spec"]["selector"].items() <= labels.items():
        yield "matchmaker: its Service selects other pods"
    policy = next(it for it in documents if it["kind"] == "NetworkPolicy")
    if policy["spec"]["podSelector"]["matchLabels"].items() <= labels.items():
        yield "matchmaker: the NetworkPolicy of raimd applies to it"


def check_chart(schemas):
    """The problems of all renderings, and how many resources there were."""
    lint = helm("lint", "--strict", CHART)
    if lint.returncode != 0:
        yield f"helm lint: {lint.stdout}"
    for name, options in RENDERINGS.items():
        rendered = helm("template", "raimd", CHART, *options)
        if rendered.returncode != 0:
            yield f"{name}: {rendered.stderr}"
            continue
        documents = [it for it in yaml.safe_load_all(rendered.stdout) if it]
        for document in documents:
            for problem in [*schemas.problems(document), *webhook.problems(document),
                            *pod_problems(document)]:
                yield f"{name}: {problem}"
        yield from (f"{name}: {problem}" for problem in matchmaker_problems(documents))
        kinds = ", ".join(sorted(it["kind"] for it in documents))
        print(f"{name}: {kinds}")
    too_many = helm("template", "raimd", CHART, "--set", "agones.enabled=true,agones.arenas=64")
    if too_many.returncode == 0:
        yield "64 arenas of 16 players exceed a list of Agones, and the chart did not say so"


def keys_of(value, inside_map=False):
    """The fields that a resource names; the keys of maps of counters, lists and labels are free."""
    if isinstance(value, list):
        for it in value:
            yield from keys_of(it)
    elif isinstance(value, dict):
        for key, it in value.items():
            if not inside_map:
                yield key
            yield from keys_of(it, key in ("counters", "lists", "matchLabels", "labels",
                                           "annotations") and not inside_map)


def check_allocations(agones):
    """Each field of the examples is one of Agones' or Kubernetes' types."""
    types = "".join(path.read_text(encoding="utf-8") for path in [
        *(agones / "pkg/apis/allocation/v1").glob("*.go"),
        *(agones / "pkg/apis/agones/v1").glob("*.go")])
    known = set(re.findall(r'json:"(\w+)', types))
    known |= {"apiVersion", "kind", "matchLabels", "matchExpressions", "operator", "values"}
    for path in sorted((ROOT / "deploy/allocations").glob("*.yaml")):
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        for key in keys_of(document):
            if key not in known:
                yield f"{path.name}: Agones knows no field {key}"


def check_dashboard():
    """Whatever Grafana's SDK does not know is lost when it reads the dashboard."""
    sys.path.insert(0, str(TOOLS / "python"))
    try:
        from grafana_foundation_sdk.cog import encoder, plugins
        from grafana_foundation_sdk.models.dashboard import Dashboard
    except ImportError:
        raise Unavailable("no grafana_foundation_sdk here") from None
    plugins.register_default_plugins()
    source = json.loads((ROOT / "deploy/grafana/raimd.json").read_text(encoding="utf-8"))
    read = json.loads(encoder.JSONEncoder().encode(Dashboard.from_json(source)))
    yield from (f"dashboard: Grafana does not know {path}" for path in lost(source, read, ""))


def lost(source, read, path):
    """The paths of what is in `source` and not in `read`."""
    if isinstance(source, dict) and isinstance(read, dict):
        for key, value in source.items():
            if key in read:
                yield from lost(value, read[key], f"{path}.{key}")
            else:
                yield f"{path}.{key}"
    elif isinstance(source, list) and isinstance(read, list) and len(source) == len(read):
        for index, (left, right) in enumerate(zip(source, read)):
            yield from lost(left, right, f"{path}[{index}]")
    elif source != read:
        yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--agones", type=pathlib.Path, metavar="DIR",
                        help=f"a checkout, instead of {AGONES} of Go's module cache")
    options = parser.parse_args()
    skips, problems = [], []
    try:
        agones = module(AGONES, options.agones)
        problems += check_allocations(agones)
    except Unavailable as reason:
        agones = None
        skips.append(f"Agones' resources and the allocations: {reason}")
    for check in (lambda: check_chart(Schemas(agones)), check_dashboard):
        try:
            problems += check()
        except Unavailable as reason:
            skips.append(str(reason))
    for problem in problems:
        print(problem)
    for skip in skips:
        print(f"skipped: {skip}")
    if problems:
        return 1
    return SKIPPED if skips else 0


if __name__ == "__main__":
    sys.exit(main())
