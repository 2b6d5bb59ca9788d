"""Get package sources by name with the ordinary clients: `python -m training.fetch packages.tsv ARCHIVES`.

Each line of the list is `source`, `name`, `version`, `licence`; source is pypi, npm or debian. A version that is no
longer served is replaced by the one that is, and said. Each package gets a folder of its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

_SECONDS = 600


def fetch(source: str, name: str, version: str, folder: Path) -> bool:
    """Download one package into `folder`, without its dependencies and without running any of its code."""
    folder.mkdir(parents=True, exist_ok=True)
    for wanted in (version, ""):
        try:
            done = subprocess.run(
                _command(source, name, wanted), cwd=folder, capture_output=True, check=False, timeout=_SECONDS
            )
        except subprocess.TimeoutExpired:
            return False
        if done.returncode == 0 or (source == "debian" and any(folder.glob("*.orig*.tar.*"))):
            return True
    return False


def folder_name(source: str, name: str) -> str:
    """The folder of a package: letters that a path cannot have are replaced."""
    return f"{source}-{name.replace('@', '').replace('/', '-')}"


def _command(source: str, name: str, version: str) -> list[str]:
    if source == "pypi":
        pinned = f"{name}=={version}" if version else name
        return [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", pinned]
    if source == "npm":
        return ["npm", "pack", "--silent", f"{name}@{version}" if version else name]
    if source == "debian":
        # Needs deb-src lines in its sources. The list has upstream versions, and APT wants its own: take the newest.
        return ["apt-get", "source", "--download-only", "--quiet", "--quiet", name]
    raise ValueError(f"source is {source!r}; it can be pypi, npm or debian")


def main() -> None:
    """Fetch each package of a list whose folder is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", type=Path)
    parser.add_argument("archives", type=Path)
    options = parser.parse_args()
    for line in options.packages.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        source, name, version, *_ = line.split("\t")
        folder = options.archives / folder_name(source, name)
        if not folder.exists() and not fetch(source, name, version, folder):
            sys.stderr.write(f"not to be had: {source} {name} {version}\n")


if __name__ == "__main__":
    main()
