# SPDX-License-Identifier: MIT
"""What Agones' webhook rejects though the schema of its CRDs allows it: the rules of the Go types'
Validate functions that concern what the chart writes."""

import re


def is_step(value):
    """A number of servers that a rolling update, or a buffer, may have: 1 or more, or 1 % to 99 %."""
    if isinstance(value, str) and re.fullmatch(r"\d+%", value):
        return 1 <= int(value[:-1]) <= 99
    return isinstance(value, int) and value >= 1


def fleet_problems(spec):
    update = spec.get("strategy", {}).get("rollingUpdate", {})
    for key in ("maxSurge", "maxUnavailable"):
        if key in update and not is_step(update[key]):
            yield f"strategy.rollingUpdate.{key}: {update[key]}: want at least 1, or 1% to 99%"
    server = spec["template"]["spec"]
    for priority in spec.get("priorities", []):
        kind = {"Counter": "counters", "List": "lists"}.get(priority["type"])
        if priority["key"] not in server.get(kind, {}):
            yield f"priorities: no {priority['type']} {priority['key']}"
        if priority["order"] not in ("Ascending", "Descending"):
            yield f"priorities: order {priority['order']}"
    yield from server_problems(server)


def server_problems(server):
    names = [port["name"] for port in server["ports"]]
    if len(set(names)) != len(names):
        yield "ports: two have one name"
    for port in server["ports"]:
        if port.get("portPolicy", "Dynamic") == "Dynamic" and "hostPort" in port:
            yield f"ports: {port['name']}: Dynamic with a hostPort"
        if port.get("portPolicy") != "Passthrough" and not 1 <= port.get("containerPort", 0) <= 65535:
            yield f"ports: {port['name']}: containerPort"
    for name, counter in server.get("counters", {}).items():
        if not 0 <= counter.get("count", 0) <= counter.get("capacity", 1000):
            yield f"counters.{name}: count beyond the capacity"
    for name, values in server.get("lists", {}).items():
        if not len(values.get("values", [])) <= values.get("capacity", 1000) <= 1000:
            yield f"lists.{name}: capacity"
    if server.get("eviction", {}).get("safe", "Never") not in ("Always", "OnUpgrade", "Never"):
        yield "eviction.safe"


def autoscaler_problems(spec):
    policy = spec["policy"].get("counter")
    if policy is None:
        return
    size, least, most = policy["bufferSize"], policy.get("minCapacity", 0), policy["maxCapacity"]
    if not is_step(size):
        yield f"bufferSize: {size}: want at least 1, or 1% to 99%"
    elif isinstance(size, str) and least < 1:
        yield "minCapacity: want at least 1 beside a bufferSize in percent"
    elif isinstance(size, int) and (size > most or 0 < least < size):
        yield "bufferSize: more than maxCapacity or minCapacity"
    if least > most:
        yield "minCapacity: more than maxCapacity"


def problems(document):
    """What the webhook would say of a resource."""
    check = {"Fleet": fleet_problems, "FleetAutoscaler": autoscaler_problems}.get(document["kind"])
    return [f"{document['kind']}: {problem}" for problem in check(document["spec"])] if check else []
