#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes software bills of materials as SPDX 2.3. sbom.py DIRECTORY writes that of a release, whose
files are there, to DIRECTORY/raimd-VERSION.spdx.json: each Debian package with the packages that it
depends on, in the versions of this machine, by which it was built; the page and the library for
Windows with the sources that client/package/sources.py pins."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "client/package"))

import sources # pylint: disable=wrong-import-position


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def own(name, version, file=None):
    """A package of this project; Debian has none of it."""
    checksum = {"packageFileName": file.name, "checksums": [
        {"algorithm": "SHA256", "checksumValue": hashlib.sha256(file.read_bytes()).hexdigest()}],
        } if file else {}
    return package(name, version, f"pkg:generic/{name}@{version}", licenseDeclared="MIT", **checksum)


def debian(name, version, architecture, maintainer, source):
    """A binary package of Debian."""
    return package(name, version,
                   f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}?arch={architecture}",
                   supplier=f"Organization: {maintainer.split('<')[0].strip()}",
                   copyrightText=f"see /usr/share/doc/{name}/copyright",
                   sourceInfo=f"source package {source.split()[0]}")


def package(name, version, url, **members):
    return {"SPDXID": identifier(name), "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "filesAnalyzed": False, **members,
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                              "referenceLocator": url}]}


def document(name, epoch, parts):
    """The bill of what `parts` lists: pairs of a package and the packages that it depends on."""
    packages = {entry["SPDXID"]: entry for part, needed in parts for entry in (part, *needed)}
    digest = hashlib.sha256(json.dumps(list(packages.values())).encode()).hexdigest()
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", part) for part, _ in parts]
    relations += [(part["SPDXID"], "DEPENDS_ON", other) for part, needed in parts for other in needed]
    return json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": name, "documentNamespace": f"urn:sha256:{digest}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
                         "creators": ["Tool: raimd-sbom"]},
        "packages": list(packages.values()),
        "relationships": [{"spdxElementId": element, "relationshipType": kind,
                           "relatedSpdxElement": other["SPDXID"]}
                          for element, kind, other in relations]}, indent=1) + "\n"


def installed(name):
    """A Debian package as it is on this machine."""
    form = "${Version}\n${Architecture}\n${Maintainer}\n${source:Package}\n"
    return debian(name, *output("dpkg-query", "-W", f"-f={form}", name).splitlines()[:4])


def pinned(name):
    """A library whose sources are compiled in."""
    version, digest = sources.PINNED[name]
    return package(name, version, f"pkg:generic/{name}@{version}",
                   checksums=[{"algorithm": "SHA256", "checksumValue": digest}])


def release_parts(directory):
    """The files of a release, with what each depends on or contains."""
    debs = {output("dpkg-deb", "-f", path, "Package").strip(): path
            for path in sorted(directory.glob("*.deb")) if "-dbgsym_" not in path.name}
    built = {name: own(name, output("dpkg-deb", "-f", path, "Version").strip(), path)
             for name, path in debs.items()}
    for name, path in debs.items():
        depends = output("dpkg-deb", "-f", path, "Depends")
        names = re.findall(r"(?:^|, )([a-z0-9][a-z0-9.+-]+)", depends)
        yield built[name], [built.get(other) or installed(other) for other in names]
    page, = directory.glob("raim-page-*.tar.gz")
    library, = directory.glob("raimclient-*.zip")
    for path, names, runtime in ((page, sources.OF_PAGE, "wasi-libc"),
                                 (library, sources.OF_WINDOWS, "mingw-w64-x86-64-dev")):
        name, version = re.match(r"([a-z-]+)-([\d.]+)\.", path.name).groups()
        yield own(name, version, path), [*map(pinned, names), installed(runtime)]


def main(directory):
    directory = pathlib.Path(directory)
    parts = list(release_parts(directory))
    name = f"raimd-{parts[0][0]['versionInfo']}"
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    (directory / f"{name}.spdx.json").write_text(document(name, epoch, parts), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
