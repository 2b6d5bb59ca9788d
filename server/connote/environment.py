"""The environment of the processes that connote starts: what a Python program needs to run, and no more."""

from __future__ import annotations

from collections.abc import Mapping

_NEEDED = frozenset(
    (
        "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP", "VIRTUAL_ENV",
        "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC",
        "PATHEXT", "NUMBER_OF_PROCESSORS",
        "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "NIX_LD", "NIX_LD_LIBRARY_PATH",
        "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
        "PYTHONPATH", "PYTHONHOME", "PYTHONUTF8", "PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE",
        "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
    )
)  # fmt: skip
KEYRINGS = (
    "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
    "GNUPGHOME", "GPG_TTY", "SSH_AUTH_SOCK", "PASSWORD_STORE_DIR",
)  # fmt: skip
"""Where a command of the user's that prints a key finds what keeps it; not the key itself."""


def needed(own: Mapping[str, str], *beginnings: str) -> dict[str, str]:
    """What a process gets of its starter's environment; names with one of the `beginnings` too.

    One list for all of them: what the host does not get, its own children cannot be given. No keys are in it.
    """
    return {
        name: value
        for name, value in own.items()
        if name.upper() in _NEEDED or (beginnings and name.upper().startswith(beginnings))
    }
