"""A worker process of a sync: `python -m connote.sync.worker`, which speaks as `connote.chunk.worker` does."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import numpy as np

from connote.chunk.worker import serve
from connote.embed import EmbedOptions, open_embedder
from connote.sync.cutting import cut

_NICE = 10
"""What is asked meanwhile comes first, and so does all else that the machine has to do."""


def embed(texts: Sequence[str]) -> bytes:
    """The vectors of the model inside connote, rows of float32 one after the other."""
    return np.concatenate([part.vectors for part in open_embedder(EmbedOptions()).parts(texts)]).tobytes()


if __name__ == "__main__":
    if sys.platform != "win32":
        os.nice(_NICE)
    serve({"cut": cut, "embed": embed})
