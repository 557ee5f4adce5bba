# SPDX-License-Identifier: BSL-1.0
"""Drives a headless Chromium through its debugging pipe, with nothing but Python's own library."""

import base64
import json
import os
import pathlib
import subprocess
import tempfile


class Browser:
    """One page at a time; what it writes to its console or fetches is in `messages` and `requests`."""

    def __init__(self, program):
        self.messages, self.requests, self._next = [], [], 0
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, from_here = os.pipe()
        to_here, from_browser = os.pipe()

        def connect():  # the browser reads from 3 and writes to 4
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self._process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--hide-scrollbars", "--force-color-profile=srgb",
             f"--user-data-dir={self._folder.name}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._out, self._in, self._rest = from_here, to_here, b""
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self._session = None
        self._session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(domain + ".enable")

    def close(self):
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def _receive(self):
        while b"\0" not in self._rest:
            read = os.read(self._in, 1 << 20)
            if not read:
                raise RuntimeError("the browser has ended")
            self._rest += read
        message, self._rest = self._rest.split(b"\0", 1)
        message = json.loads(message)
        method = message.get("method")
        if method == "Runtime.consoleAPICalled":
            self.messages.append(str([a.get("value") for a in message["params"]["args"]]))
        elif method == "Runtime.exceptionThrown":
            self.messages.append(message["params"]["exceptionDetails"].get("text", "exception"))
        elif method == "Log.entryAdded":
            self.messages.append(message["params"]["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(message["params"]["request"]["url"])
        return message

    def call(self, method, **params):
        self._next += 1
        message = {"id": self._next, "method": method, "params": params}
        if getattr(self, "_session", None):
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._next:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def resize(self, width, height=900, dark=False, media=""):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path, scripts=True):
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while self._receive().get("method") != "Page.loadEventFired":
            pass

    def run(self, expression):
        """The value of an expression of JavaScript."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def screenshot(self, whole=True, region=None):
        """PNG bytes of the whole page, of the window, or of a region of the page: (x, y, width, height, scale)."""
        more = {}
        if region is not None:
            more["clip"] = dict(zip(("x", "y", "width", "height", "scale"), region))
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **more)["data"])

    def accessible(self):
        """(role, name) of everything that assistive technology meets."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [(n.get("role", {}).get("value", ""), n.get("name", {}).get("value", "")) for n in nodes if not n.get("ignored")]
