"""A headless Chromium driven over its DevTools pipe: nothing but the standard library is needed.

Chromium reads commands from file descriptor 3 and writes answers to descriptor 4, each a JSON text that ends with a
zero byte.
"""

from __future__ import annotations

import base64
import importlib.util
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
REQUIRED = os.environ.get("DPWITNESS_BROWSER") == "required"  # nothing may be skipped


def axe_core() -> Path | None:
    """axe-core: the file that ``AXE_CORE`` names, or the one in the package axe-core-python."""
    if "AXE_CORE" in os.environ:
        return Path(os.environ["AXE_CORE"])
    found = importlib.util.find_spec("axe_core_python")
    places = [Path(place) / "axe.min.js" for place in (found.submodule_search_locations or [])] if found else []
    return next((place for place in places if place.is_file()), None)


AXE = axe_core()
NO_AXE = "needs axe-core: pip install 'dpwitness[browser]', or AXE_CORE=path/to/axe.min.js"
_RUN_AXE = """axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(
    v => v.id + ': ' + v.help + ' ' + v.nodes.slice(0, 3).map(n => n.html).join(' | ')))"""

_FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
          "--disable-background-networking", "--disable-component-update",
          "--host-resolver-rules=MAP * ~NOTFOUND"]  # fmt: skip


class Browser:
    """One page in a fresh profile, with the network off."""

    def __init__(self, size: tuple[int, int] = (1280, 900)) -> None:
        assert CHROMIUM is not None
        self.folder = tempfile.mkdtemp(prefix="dpwitness-browser-")
        self.events: list[dict[str, Any]] = []
        self.numbers = itertools.count(1)
        self.buffer = b""
        from_us, self.to_it = os.pipe()
        self.from_it, to_us = os.pipe()
        # descriptors 3 and 4 may already be in use here, so a shell puts ours there
        words = [
            CHROMIUM,
            *_FLAGS,
            f"--user-data-dir={self.folder}",
            f"--window-size={size[0]},{size[1]}",
            "about:blank",
        ]
        script = f'exec "$@" 3<&{from_us} 4>&{to_us}'
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", *words], pass_fds=(from_us, to_us), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(from_us)
        os.close(to_us)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.do(f"{domain}.enable")
        self.do("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)

    def call(self, method: str, session: str | None = None, **params: Any) -> Any:
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params, **({"sessionId": session} if session else {})}
        os.write(self.to_it, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def do(self, method: str, **params: Any) -> Any:
        return self.call(method, self.session, **params)

    def read(self, seconds: float = 30.0) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.from_it], [], [], seconds)
            piece = os.read(self.from_it, 1 << 16) if ready else b""
            if not piece:
                raise TimeoutError("the browser did not answer")
            self.buffer += piece
        text, _, self.buffer = self.buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(text)
        return answer

    def open(self, path: Path, anchor: str = "") -> None:
        self.do("Page.navigate", url=path.as_uri() + anchor)
        for _ in range(200):
            if self.js("document.readyState") == "complete" and self.js("location.protocol") == "file:":
                return
            time.sleep(0.02)
        raise TimeoutError("the page did not load")

    def js(self, expression: str) -> Any:
        answer = self.do("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str, code: int) -> None:
        text = {"Enter": "\r", " ": " "}.get(key, "")
        self.do("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, text=text)
        self.do("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def screenshot(self, path: Path, size: tuple[int, int] | None = None) -> None:
        """A picture of the whole page, or of its top left part of the given size."""
        part = {} if size is None else {"clip": {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}}
        answer = self.do("Page.captureScreenshot", captureBeyondViewport=True, **part)
        path.write_bytes(base64.b64decode(answer["data"]))

    def barriers(self) -> list[str]:
        """What axe-core finds wrong with the page as it is shown now."""
        assert AXE is not None, NO_AXE
        self.js(AXE.read_text(encoding="utf-8") + "; 0")
        found: list[str] = self.js(_RUN_AXE)
        return found

    def problems(self) -> list[str]:
        """Console errors, exceptions, blocked content, and any request that is not for a file."""
        self.js("0")
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown" or (
                method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert")
            ):
                found.append(json.dumps(params))
            if method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
            if method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "data:")):
                found.append(f"request for {params['request']['url']}")
        return found

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.to_it)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.from_it)
        shutil.rmtree(self.folder, ignore_errors=True)
