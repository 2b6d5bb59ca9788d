"""MCP's inspector lists and calls everything that `connote mcp` has, on stdio and over HTTP.

`python tests/inspector/run.py`, with the Python that connote is installed for. Installs node 24 and the inspector from
npm into a temporary folder, which is removed at the end; needs `npm`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CONNOTE = str(Path(sys.executable).with_name("connote"))
NODE, INSPECTOR = "node@24", "@modelcontextprotocol/inspector@2"
_INSTALL_SECONDS = 600
"""npm tries for hours where it cannot reach or verify its registry."""
_CONNECT_MILLISECONDS = 60_000
"""A server starts within a second, but not on a machine with twenty other things to do."""
CODE = Path(__file__).parents[1] / "protocol" / "sample" / "src" / "uploads.py"


class Inspector:
    """The inspector's command line, on one server."""

    def __init__(self, folder: Path, target: list[str], environment: dict[str, str]) -> None:
        self._command = [str(folder / "node_modules" / ".bin" / "mcp-inspector"), "--cli", *target]
        self._environment = environment

    def ask(self, method: str, *arguments: str) -> Any:
        """The result of a method."""
        done = subprocess.run(
            [*self._command, "--connect-timeout", str(_CONNECT_MILLISECONDS), "--method", method, *arguments],
            env=self._environment, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        if done.returncode:
            sys.exit(f"{method} {arguments}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
        return json.loads(done.stdout)

    def call(self, tool: str, **arguments: object) -> Any:
        """The structured result of a tool."""
        pairs = [f"{name}={value}" for name, value in arguments.items()]
        result = self.ask("tools/call", "--tool-name", tool, *(["--tool-arg", *pairs] if pairs else []))
        assert not result.get("isError"), result
        return result["structuredContent"]


def check(inspector: Inspector) -> int:
    """List and call everything; returns how many requests were answered as they should."""
    tools = [tool["name"] for tool in inspector.ask("tools/list", "--strict")["tools"]]
    assert len(tools) == 5, tools
    called = {
        "connote_index": inspector.call("connote_index"),
        "connote_search": inspector.call("connote_search", query="retry a failed upload", limit=3, budget=2000),
        "connote_similar": inspector.call("connote_similar", path="uploads.py", line=5),
        "connote_read_file": inspector.call("connote_read_file", path="uploads.py", start_line=4, end_line=4),
        "connote_index_status": inspector.call("connote_index_status"),
    }
    assert set(tools) == set(called)
    assert called["connote_index"]["complete"]
    assert called["connote_search"]["hits"][0]["path"] == "uploads.py"
    assert called["connote_read_file"]["text"].startswith("def retry_upload")
    # Each request has a server of its own, which looks the files over when it starts.
    assert called["connote_index_status"]["state"] in ("ready", "indexing")

    resources = [one["uri"] for one in inspector.ask("resources/list")["resources"]]
    templates = inspector.ask("resources/templates/list")["resourceTemplates"]
    assert len(templates) == 2, templates
    for uri in (*resources, "connote://file/uploads.py", "connote://snippet/uploads.py?start=1&end=2"):
        assert inspector.ask("resources/read", "--uri", uri)["contents"][0]["text"], uri

    prompts = inspector.ask("prompts/list")["prompts"]
    assert len(prompts) == 2, prompts
    for prompt in prompts:
        (argument,) = prompt["arguments"]
        pair = f"{argument['name']}=retry_upload"
        messages = inspector.ask("prompts/get", "--prompt-name", prompt["name"], "--prompt-args", pair)["messages"]
        assert "retry_upload" in messages[0]["content"]["text"]
    return 1 + len(called) + 2 + len(resources) + 2 + 1 + len(prompts)


def install(folder: Path) -> dict[str, str]:
    """Install node and the inspector; returns the environment in which they run."""
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("npm is needed; it comes with node.")
    environment = {**os.environ, "HOME": str(folder), "USERPROFILE": str(folder)}
    environment["PATH"] = os.pathsep.join([str(folder / "node_modules" / ".bin"), environment["PATH"]])
    # npm's own settings and cache stay the user's.
    quiet = ["--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel=error"]
    for package in (NODE, INSPECTOR):
        # One after the other: the second install runs under the node of the first, which the inspector asks for.
        path = {**os.environ, "PATH": environment["PATH"]}
        subprocess.run([npm, "install", *quiet, package], check=True, env=path, cwd=folder, timeout=_INSTALL_SECONDS)
    return environment


@contextlib.contextmanager
def over_http(root: Path, environment: dict[str, str]) -> Iterator[list[str]]:
    """The inspector's target for a server on HTTP."""
    process = subprocess.Popen(
        [CONNOTE, "mcp", str(root), "--http", "--port", "0"],
        env=environment, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        said = "".join(next(process.stderr) for _ in range(2))
        url, file = re.search(r"http://\S+", said), re.search(r"the token is in (.+)", said)
        assert url is not None, said
        assert file is not None, said
        threading.Thread(target=lambda: sys.stderr.writelines(process.stderr), daemon=True).start()
        header = f"Authorization: Bearer {Path(file[1]).read_text().strip()}"
        yield [url[0], "--transport", "http", "--header", header]
    finally:
        process.terminate()
        process.wait(30)


def main() -> None:
    """Install, check both transports, and say what was checked."""
    with tempfile.TemporaryDirectory(prefix="connote-inspector-") as name:
        folder = Path(name).resolve()
        environment = {**install(folder), "CONNOTE_INDEX_DIR": str(folder / "index")}
        root = folder / "project"
        root.mkdir()
        code = CODE.read_text(encoding="utf-8")
        (root / "uploads.py").write_text(code, encoding="utf-8")
        (root / "again.py").write_text(code.replace("upload", "download"), encoding="utf-8")
        # The inspector hands on only what every program needs of its own environment.
        kept = {name: environment[name] for name in ("CONNOTE_INDEX_DIR", "PYTHONPATH") if name in environment}
        variables = [word for name, value in kept.items() for word in ("-e", f"{name}={value}")]
        count = check(Inspector(folder, [*variables, CONNOTE, "mcp", str(root)], environment))
        print(f"inspector on stdio: {count} requests as they should be")
        with over_http(root, environment) as target:
            count = check(Inspector(folder, target, environment))
        print(f"inspector over HTTP: {count} requests as they should be")
        # The host of the index would outlive its folder.
        subprocess.run([CONNOTE, "stop", "--all"], check=True, env=environment, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
