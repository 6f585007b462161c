# SPDX-License-Identifier: MIT
"""Headless browsers that the tests drive: Chromium over a pair of pipes by its DevTools protocol,
messages of JSON that end in NUL, and Firefox. CHROMIUM and FIREFOX are None where these are not
installed, and where RAIM_SHORT=1 leaves them to `./dev test --all`; WITHOUT says so."""

import base64
import itertools
import json
import os
import pathlib
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import ports

SHORT = os.environ.get("RAIM_SHORT") == "1"
CHROMIUM = None if SHORT else shutil.which("chromium") or shutil.which("chromium-browser")
FIREFOX = None if SHORT else shutil.which("firefox-esr") or shutil.which("firefox")
WITHOUT = "only --all: browsers" if SHORT else "no browser here (Debian: chromium, firefox-esr)"
ANSWER_S = 60   # a browser begins slowly on a busy machine

# Executes a program with these two descriptors as 3 and 4, whatever their numbers: a shell knows
# those of one digit alone.
EXECUTE = """import fcntl, os, sys
copies = [fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3]]
for copy, number in zip(copies, (3, 4)):
    os.dup2(copy, number)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One page, and all that its console said; with graphics it has WebGL, by SwiftShader."""

    def __init__(self, graphics=False):
        self._graphics = (["--use-angle=swiftshader", "--enable-unsafe-swiftshader"] if graphics
                          else ["--disable-gpu"])

    def __enter__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="raimd-browser-",
                                                      ignore_cleanup_errors=True)
        self._complaints = tempfile.TemporaryFile() # pylint: disable=consider-using-with
        # Chromium reads commands from descriptor 3 and answers on 4.
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        command = [CHROMIUM, "--headless", "--no-sandbox", *self._graphics, "--no-first-run",
                   "--disable-dev-shm-usage", "--remote-debugging-pipe",
                   f"--user-data-dir={self._directory.name}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-c", EXECUTE, str(theirs_in), str(theirs_out), *command],
            pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=self._complaints, env={**os.environ,
                "HOME": self._directory.name})
        os.close(theirs_in)
        os.close(theirs_out)
        self._numbers, self._buffer, self._session = itertools.count(1), b"", None
        self.said = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.show()
        return self

    def __exit__(self, *_):
        os.close(self._to)
        os.close(self._from)
        self._process.kill()
        self._process.wait()
        self._directory.cleanup()
        self._complaints.close()

    def _receive(self, end):
        while b"\0" not in self._buffer:
            if not select.select([self._from], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"Chromium is silent for {ANSWER_S} s")
            got = os.read(self._from, 1 << 16)
            if not got:
                self._complaints.seek(0)
                raise AssertionError(f"Chromium ended with {self._process.wait(ANSWER_S)}: "
                                     f"{self._complaints.read()[-4000:].decode(errors='replace')}")
            self._buffer += got
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **params):
        number, end = next(self._numbers), time.monotonic() + ANSWER_S
        message = {"id": number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while (answer := self._receive(end)).get("id") != number:
            if answer.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown",
                                        "Log.entryAdded"):
                self.said.append(answer["params"])
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        return answer["result"]

    def show(self):
        """Brings the page to the front, where the tab that Chromium begins with may stand."""
        end = time.monotonic() + ANSWER_S
        while True:
            self.ask("Page.bringToFront")
            if self.evaluate("document.hasFocus() && !document.hidden"):
                return
            if time.monotonic() > end:
                raise AssertionError(f"the page is not in front within {ANSWER_S} s")
            time.sleep(0.05)

    def open(self, url, width=1280, height=800, scheme="light", ratio=1, touches=False):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=ratio, mobile=touches or width < 600)
        self.ask("Emulation.setTouchEmulationEnabled", enabled=touches, maxTouchPoints=5)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.ask("Page.navigate", url=url)

    def evaluate(self, expression):
        """The value of an expression; None where another page takes the place of the one asked."""
        try:
            return self.ask("Runtime.evaluate", expression=expression,
                            returnByValue=True)["result"].get("value")
        except AssertionError as error:
            if "navigated or closed" not in str(error):
                raise
            return None

    def describe(self):
        """What a test that fails says of the page."""
        page = self.evaluate("[document.hidden, document.hasFocus(), document.title,"
                             " document.body?.innerText.slice(0, 500)]")
        return f"hidden, focused, title, text: {page}; its console: {str(self.said)[-2000:]}"

    def poll(self, expression, deadline_s):
        """Waits until an expression is true."""
        end = time.monotonic() + deadline_s
        while not self.evaluate(expression):
            if time.monotonic() > end:
                raise AssertionError(f"no {expression} within {deadline_s} s: {self.describe()}")
            time.sleep(0.02)

    def press(self, key):
        for kind in ("rawKeyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                     windowsVirtualKeyCode={"Tab": 9, "ArrowRight": 39}[key])

    def shoot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))


class Firefox:
    """One page of a Firefox, driven by its Marionette protocol: messages of JSON behind their
    length."""

    def __init__(self, headless=True, environment=None, preferences=None):
        self._words = ["--headless"] if headless else []
        self._environment = environment or {}
        self._preferences = preferences or {}

    def __enter__(self):
        self._directory = tempfile.TemporaryDirectory(prefix="raimd-firefox-",
                                                      ignore_cleanup_errors=True)
        port = ports.free_port()
        pathlib.Path(self._directory.name, "user.js").write_text(
            "".join(f'user_pref("{name}", {json.dumps(value)});\n' for name, value in
                    {"marionette.port": port, **self._preferences}.items()), encoding="ascii")
        self._process = subprocess.Popen(
            [FIREFOX, *self._words, "--marionette", "--no-remote", "--profile",
             self._directory.name], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **self._environment, "HOME": self._directory.name})
        end = time.monotonic() + ANSWER_S
        while True:
            try:
                self._socket = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_S)
                break
            except OSError:
                if time.monotonic() > end or self._process.poll() is not None:
                    raise
                time.sleep(0.1)
        self._file, self._numbers = self._socket.makefile("rb"), itertools.count(1)
        self._receive() # its greeting
        self.ask("WebDriver:NewSession", capabilities={"alwaysMatch": {}})
        return self

    def __exit__(self, *_):
        self._file.close()
        self._socket.close()
        self._process.kill()
        self._process.wait()
        self._directory.cleanup()

    def _receive(self):
        digits = b""
        while (byte := self._file.read(1)) != b":":
            digits += byte
        return json.loads(self._file.read(int(digits)))

    def ask(self, command, **params):
        text = json.dumps([0, next(self._numbers), command, params]).encode()
        self._socket.sendall(b"%d:%s" % (len(text), text))
        _, _, problem, result = self._receive()
        if problem:
            raise AssertionError(f"{command}: {problem['message']}")
        return result

    def open(self, url, width=1280, height=800):
        self.ask("WebDriver:SetWindowRect", width=width, height=height)
        self.ask("WebDriver:Navigate", url=url)

    def evaluate(self, expression):
        return self.ask("WebDriver:ExecuteScript", script=f"return {expression}", args=[])["value"]

    def shoot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("WebDriver:TakeScreenshot", full=False)["value"]))

    def keys(self, keys, held_s):
        """Presses keys one after the other, each for so long."""
        actions = []
        for key in keys:
            actions += [{"type": "keyDown", "value": key},
                        {"type": "pause", "duration": int(1000 * held_s)},
                        {"type": "keyUp", "value": key}]
        self.ask("WebDriver:PerformActions",
                 actions=[{"type": "key", "id": "keyboard", "actions": actions}])
