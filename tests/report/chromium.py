"""A headless Chromium, driven over its debugging pipe: no driver and no port.

https://chromedevtools.github.io/devtools-protocol/: JSON messages, each ended by a zero byte.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

BINARY = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
AXE = Path(os.environ.get("AXE_CORE_JS", "node_modules/axe-core/axe.min.js"))
"""axe-core: `npm install axe-core`, or wherever AXE_CORE_JS says."""
SERIOUS = {"serious", "critical"}
DEADLINE_S = 60.0


class Page:
    """One tab, with everything it logged and asked for."""

    def __init__(self, to: int, back: int) -> None:
        self._to, self._back, self._buffer, self._count = to, back, b"", 0
        self._session: str | None = None
        self.problems: list[str] = []
        self.requests: list[str] = []

    def attach(self) -> Self:
        """Open a tab and listen to its log, console and network."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        found = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = found["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send one command and wait for its result; events on the way are noted."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._next()
            if reply.get("id") == self._count:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']}")
                return dict(reply["result"])
            self._note(reply)

    def open(self, path: Path, *, width: int = 1280, fragment: str = "") -> None:
        """Load a local page in a window of this width, until its load event."""
        self.problems, self.requests = [], []
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.call("Page.navigate", url=path.as_uri() + fragment)
        self.wait("document.readyState === 'complete'")

    def value(self, expression: str) -> Any:
        """The JSON value of an expression; a promise is awaited."""
        found = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"])
        return found["result"].get("value")

    def violations(self) -> list[str]:
        """What axe-core calls serious or critical, as `rule: markup`."""
        self.value(AXE.read_text(encoding="utf-8") + "; true")
        found = self.value(
            "axe.run().then(r => r.violations.map(v => [v.impact, v.id, v.nodes[0].html]))"
        )
        return [f"{rule}: {html}" for impact, rule, html in found if impact in SERIOUS]

    def wait(self, condition: str) -> None:
        """Until a condition holds; raises TimeoutError."""
        end = time.monotonic() + DEADLINE_S
        while not self.value(condition):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.02)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            chunk = os.read(self._back, 1 << 20)
            if not chunk:
                raise RuntimeError("Chromium ended")
            self._buffer += chunk
        message, self._buffer = self._buffer.split(b"\0", 1)
        return dict(json.loads(message))

    def _note(self, event: dict[str, Any]) -> None:
        method, found = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append(str(found["exceptionDetails"]))
        elif method == "Log.entryAdded" and found["entry"]["level"] in {"error", "warning"}:
            self.problems.append(found["entry"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.problems.append(str(found["args"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(found["request"]["url"])


@contextmanager
def chromium(profile: Path) -> Iterator[Page]:
    """A headless browser with a fresh profile, ended with the block."""
    if BINARY is None:
        raise RuntimeError("no Chromium")
    to_read, to = os.pipe()
    back, back_write = os.pipe()
    command = [
        "/bin/bash", "-c", f'exec 3<&{to_read} 4>&{back_write}; exec "$@"', "sh",
        BINARY, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
        f"--user-data-dir={profile}", "--no-first-run", "--disable-extensions",
    ]  # fmt: skip
    process = subprocess.Popen(
        command,
        pass_fds=(to_read, back_write),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_read)
    os.close(back_write)
    try:
        yield Page(to, back).attach()
    finally:
        process.terminate()
        process.wait(timeout=30)
        os.close(to)
        os.close(back)
