"""A worker process of a sync: `python -m connote.sync.worker`, which speaks as `connote.chunk.worker` does."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from connote.chunk.worker import serve
from connote.embed import EmbedOptions, open_embedder
from connote.sync.cutting import cut


def embed(texts: Sequence[str]) -> bytes:
    """The vectors of the model inside connote, rows of float32 one after the other."""
    parts = open_embedder(EmbedOptions()).parts(texts)
    return np.concatenate(list(chain(part.vectors for part in parts))).tobytes()


if __name__ == "__main__":
    serve({"cut": cut, "embed": embed})
