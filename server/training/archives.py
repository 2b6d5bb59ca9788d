"""Package archives as lists of source files: what is read, what is left out, and which files are tests."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from training.definitions import LANGUAGES

_HERE = Path(__file__).parent
_SMALLEST, _LARGEST = 200, 200_000
_SKIPPED = frozenset(
    """
    fixtures fixture node_modules third_party thirdparty 3rdparty external deps dist build min locale locales
    migrations i18n generated bundled vendor vendored _vendor examples_data testdata test-data data
    """.split()  # noqa: SIM905 - a list of many lines reads worse
)
_TEST_FOLDERS = frozenset(
    "test tests testing __tests__ spec specs unit unittests functional e2e integration testsuite".split()  # noqa: SIM905 - as above
)
_TEST_FILE = re.compile(r"^test[_-]|(?:_test|_tests|\.test|\.spec|_spec|-test)\.\w+$")
_TEST_CLASS = re.compile(r"(?:Tests?|Spec)\.\w+$")
_GENERATED_NAME = (".d.ts", ".pb.go", "_pb2.py", "_pb2_grpc.py", ".pb.h", ".pb.cc")
# A package of a permissive licence may hold single files of another one.
_OTHER_LICENCE = re.compile(
    rb"GNU (?:Lesser |Affero |Library )?General Public|\bA?L?GPL\b|Mozilla Public|Eclipse Public|\bCDDL\b"
    rb"|Business Source|Server Side Public",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Source:
    """One file of a package."""

    path: str
    data: bytes
    language: str
    is_test: bool


def sources(archive: Path) -> list[Source]:
    """The source files of a wheel, an npm package or a source tarball that may be learned from."""
    entries = _wheel(archive) if archive.suffix in (".whl", ".zip") else _tarball(archive)
    return [
        Source(path, data, LANGUAGES[PurePosixPath(path).suffix.lower()], is_test(path))
        for path, data in entries
        if _is_written_by_hand(data) and not _OTHER_LICENCE.search(data[:3000])
    ]


def is_judged(name: str) -> bool:
    """Whether a package, folder or file name is that of a project which judges the model."""
    return _judged().match(re.sub(r"-v?\d.*$", "", name.lower())) is not None


def is_wanted(path: str) -> bool:
    """Whether a file is source of the package itself, by its path."""
    parts = path.lower().split("/")
    if any(is_judged(part) or (number and part in _SKIPPED) for number, part in enumerate(parts[:-1])):
        return False
    name = parts[-1]
    if PurePosixPath(name).suffix not in LANGUAGES or ".min." in name or name.endswith(_GENERATED_NAME):
        return False
    return not is_judged(name.rsplit(".", 1)[0])


def is_test(path: str) -> bool:
    """Whether a file is a test, by its path."""
    *folders, name = path.split("/")
    if any(part in _TEST_FOLDERS or re.search(r"[_-]tests?$", part) for part in map(str.lower, folders)):
        return True
    return _TEST_FILE.search(name.lower()) is not None or _TEST_CLASS.search(name) is not None


@cache
def _judged() -> re.Pattern[str]:
    lines = (_HERE / "exclude.txt").read_text(encoding="utf-8").splitlines()
    names = sorted(line.strip() for line in lines if line.strip() and not line.startswith("#"))
    return re.compile(rf"^(?:{'|'.join(map(re.escape, names))})(?:[-_.]v?\d.*)?$")


def _wheel(archive: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(archive) as packed:
        for entry in packed.infolist():
            if _SMALLEST < entry.file_size < _LARGEST and is_wanted(entry.filename):
                yield entry.filename, packed.read(entry)


def _tarball(archive: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(archive, "r|*") as packed:
        yield from _members(packed)


def _members(packed: Iterable[tarfile.TarInfo] | tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in packed:
        if member.isfile() and _SMALLEST < member.size < _LARGEST and is_wanted(member.name):
            content = packed.extractfile(member) if isinstance(packed, tarfile.TarFile) else None
            if content is not None:
                yield member.name, content.read()


def _is_written_by_hand(data: bytes) -> bool:
    has_lines = data[:2000].count(b"\n") >= 8 or len(data) <= 2000
    return has_lines and b"enerated by" not in data[:600] and b"@generated" not in data[:600]
