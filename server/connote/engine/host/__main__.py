"""The host's process: `python -m connote.engine.host FOLDER ROOT`. Faces start it; nobody else needs to."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Detach from whoever started it, and serve until nobody asks any more; returns the exit code.

    On POSIX the process that was started ends as soon as the host, its child, listens: with 0, or with 1 when that
    fails. The host is then nobody's child, and no editor that ends its children ends it.
    """
    folder, root = sys.argv[1:]
    if sys.platform == "win32":
        from connote.engine.host.serving import serve  # noqa: PLC0415 - it brings the server's libraries

        return serve(folder, root, lambda: None)
    heard, told = os.pipe()
    if os.fork():
        os.close(told)
        return 0 if os.read(heard, 1) else 1
    os.close(heard)
    from connote.engine.host.serving import serve  # noqa: PLC0415 - as above, and threads do not survive a fork

    def listens() -> None:
        os.write(told, b"1")
        os.close(told)

    return serve(folder, root, listens)


if __name__ == "__main__":
    sys.exit(main())
