# SPDX-License-Identifier: MIT
"""Minimal Debian trees, made by mmdebstrap with the mirror and the connection settings of this
machine's own apt."""

import os
import pathlib
import subprocess
import tempfile

# What says how to reach a mirror; the rest of apt's configuration is the tree's own.
CONNECTION = ("Acquire::http", "Acquire::https", "Acquire::ForceIPv", "Acquire::Retries",
              "Acquire::Check-Valid-Until", "Acquire::Check-Date")


# Releases of Ubuntu, and where the package ubuntu-keyring puts their keys, which Debian 13 has and
# Debian 12 has not.
UBUNTU = ("noble", "resolute")
UBUNTU_KEYS = pathlib.Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")


class NoTree(Exception):
    """Why no tree can be made here."""


def _apt_says(*command):
    try:
        return subprocess.run(command, text=True, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "" # no apt, or none that is set up: mmdebstrap has defaults


def connection_settings():
    """The lines of this machine's apt configuration that a tree's apt needs as well."""
    lines = _apt_says("apt-config", "dump").splitlines()
    return [line for line in lines if line.startswith(CONNECTION) and not line.endswith(' "";')]


def mirror(label):
    """Where this machine's apt gets an archive of that label from; None where it does not."""
    uris = _apt_says("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages",
                     f"Label: {label}").split()
    return uris[0] if uris else None


def suite_of_this_machine():
    """The release for which packages are built here; bookworm where this is no Debian."""
    for line in pathlib.Path("/etc/os-release").read_text(encoding="utf-8").splitlines():
        if line.startswith("VERSION_CODENAME="):
            return line.partition("=")[2].strip('"')
    return "bookworm"


def ubuntu_keys(directory):
    """Ubuntu's keys: those of this machine, or else of a tree of Debian 13."""
    if UBUNTU_KEYS.exists():
        return UBUNTU_KEYS
    tree = make_tree(directory / "ubuntu-keyring", "trixie", ["ubuntu-keyring"])
    return tree / UBUNTU_KEYS.relative_to("/")


def sources(suite):
    """What mmdebstrap is to take a release's packages from; nothing for its own choice."""
    if suite in UBUNTU:
        return [f"deb http://archive.ubuntu.com/ubuntu {suite} main universe"]
    archive, security = mirror("Debian"), mirror("Debian-Security")
    if archive is None:
        return []
    return [f"deb {archive} {suite} main", f"deb {archive} {suite}-updates main",
            *([f"deb {security} {suite}-security main"] if security else [])]


def make_tree(directory, suite, packages=(), architecture=None):
    """The minimal tree of a suite with these packages; made anew only when the list has changed.
    Of another architecture nothing is run: its packages are extracted and not configured, and those
    of the release itself are enough."""
    packages = [*packages, *(["apt"] if suite in UBUNTU else [])] # which minbase lacks there
    tree, marker = directory / "tree", directory / "packages"
    wanted = " ".join([suite, *sorted(packages)])
    kind = [f"--architectures={architecture}", "--variant=extract"] if architecture else [
        "--variant=minbase"]
    if marker.exists() and marker.read_text(encoding="ascii") == wanted:
        return tree
    subprocess.run(["rm", "-rf", "--one-file-system", tree, marker], check=True)
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as settings:
        settings.write("".join(f"{line}\n" for line in connection_settings()))
        settings.flush()
        if suite in UBUNTU:
            kind.append(f"--keyring={ubuntu_keys(directory.parent)}")
        command = ["mmdebstrap", "--quiet", *kind, f"--aptopt={settings.name}",
                   *(["--include=" + " ".join(packages)] if packages else []), suite, str(tree),
                   *sources(suite)[:1 if architecture else None]]
        try:
            made = subprocess.run(command, text=True, capture_output=True, check=False,
                                  env={**os.environ, "LC_ALL": "C.UTF-8"})
        except OSError as error:
            raise NoTree(f"no mmdebstrap: {error}") from None
    if made.returncode != 0:
        raise NoTree(f"mmdebstrap makes no {suite}: {made.stderr}")
    marker.write_text(wanted, encoding="ascii")
    return tree
