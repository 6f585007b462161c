# SPDX-License-Identifier: MIT
"""Fetches the sources of libraries from Debian's source packages, for what is built for systems that
have no packages of them."""

import hashlib
import pathlib
import re
import shutil
import subprocess
import sys

SUITE = "trixie"  # one release's sources, whatever this machine's is
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
# Version and SHA-256 of upstream's archives. Debian's patches, which its archive signs, are applied to
# them where the mirror has them.
PINNED = {
    "enet": ("1.3.18", "f1ba5f8aaf253cb19b9545031450bf74122f151435998259ca978808e9e4fec3"),
    "jansson": ("2.14", "c739578bf6b764aa0752db9a2fdadcfe921c78f1228c7ec0bb47fa804c55d17b"),
    "libsodium": ("1.0.18", "d59323c6b712a1519a5daf710b68f5e7fde57040845ffec53850911f10a5d4f4"),
    "libzstd": ("1.5.7+dfsg", "0c092ef267edce57ba7f3f2645c861f72eaf5e76273c6c3632869423464b90a5"),
    "xxhash": ("0.8.3", "aae608dfe8213dfd05d909a57718ef82f30722c392344583d3f39050c7f29a80"),
}
OF_PAGE = list(PINNED)
OF_WINDOWS = ["enet", "libsodium", "xxhash"]


def run(*words, where=None):
    """Runs a command; ends the program with its words where it fails."""
    result = attempt(*words, where=where)
    if result.returncode != 0:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {words[0]} failed:\n{result.stdout[-4000:]}")


def attempt(*words, where=None):
    return subprocess.run([str(word) for word in words], cwd=where, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def fetch(name, options, place):
    """Fetches and unpacks one package: patched, also for security, or the release's, or unpatched."""
    for words in ([name], [f"{name}/{SUITE}"], ["--tar-only", f"{name}/{SUITE}"]):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        if attempt("apt-get", *options, "source", "-qq", *words, where=place).returncode == 0:
            break
    archive = next(place.glob("*.orig.tar.?z"), None)
    if archive is None:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: cannot fetch {name} of {SUITE}")
    version, digest = PINNED[name]
    if hashlib.sha256(archive.read_bytes()).hexdigest() != digest \
            or not archive.name.startswith(f"{name}_{version}"):
        sys.exit(f"{archive.name} is not the archive that client/package/sources.py names")
    if not any(path.is_dir() for path in place.iterdir()):
        run("tar", "-xf", archive, where=place)
    return next(path for path in place.iterdir() if path.is_dir())


def fetch_sources(directory, names):
    """Unpacks source packages into directory/NAME and returns these paths by name, by an apt of its own
    that leaves the machine's lists alone. What is there is kept."""
    directory = pathlib.Path(directory)
    paths = {name: directory / name for name in names}
    lacking = sorted(name for name, path in paths.items() if not path.is_dir())
    if not lacking:
        return paths
    shutil.rmtree(directory / "apt", ignore_errors=True)
    (directory / "apt/lists/partial").mkdir(parents=True)
    (directory / "apt/sources.list").write_text(
        f"deb-src [signed-by={KEYRING}] http://deb.debian.org/debian {SUITE} main\n"
        f"deb-src [signed-by={KEYRING}] http://deb.debian.org/debian-security {SUITE}-security "
        "main\n",
        encoding="utf-8")
    options = [f"-oDir::Etc::SourceList={directory}/apt/sources.list",
               "-oDir::Etc::SourceParts=/dev/null", f"-oDir::State::Lists={directory}/apt/lists",
               f"-oDir::Cache={directory}/apt", "-oAPT::Sandbox::User=root"]
    run("apt-get", *options, "update", "-qq")
    for name in lacking:
        fetch(name, options, directory / "apt" / name).rename(paths[name])
    shutil.rmtree(directory / "apt")
    return paths


def prepare_sodium(root):
    """Writes the one file that libsodium's configure would."""
    include = root / "src/libsodium/include/sodium"
    script = (root / "configure.ac").read_text(encoding="utf-8")
    values = {name: re.search(pattern, script, re.MULTILINE)[1] for name, pattern in (
        ("VERSION", r"AC_INIT\(\[libsodium\],\[([\d.]+)\]"),
        ("SODIUM_LIBRARY_VERSION_MAJOR", r"^SODIUM_LIBRARY_VERSION_MAJOR=(\d+)"),
        ("SODIUM_LIBRARY_VERSION_MINOR", r"^SODIUM_LIBRARY_VERSION_MINOR=(\d+)"))}
    text = (include / "version.h.in").read_text(encoding="utf-8")
    for name, value in {**values, "SODIUM_LIBRARY_MINIMAL_DEF": ""}.items():
        text = text.replace(f"@{name}@", value)
    target = include / "version.h"
    if not target.is_file() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")
