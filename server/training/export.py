"""The product's form of a trained model: `python -m training.export DATA MODEL... static_code_256.npz`.

Several models, each trained on from the one before, are averaged.

Arrays: `table` int8 (pieces, dimensions) and `scale` float16 (pieces,), a row is `table * scale`; `vocabulary` and
`merges`, lines of UTF-8 as bytes; and for the reader of questions `reader_NAME_weight`, `reader_NAME_bias` in float16,
NAME being first, second or out (see `network.Reader`). A question's own table, where it was learned, is `question` and
`question_scale`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray


def rows_of_bytes(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float16]]:
    """Each row as whole numbers of -127 to 127 and what one of them is worth."""
    scale = np.maximum(np.abs(table).max(axis=1), 1e-6) / 127
    # What is rounded is divided by the number that is stored, not by the one before its own rounding.
    stored = scale.astype(np.float16)
    whole = np.rint(table / stored.astype(np.float32)[:, None])
    return np.clip(whole, -127, 127).astype(np.int8), stored


def exported(state: dict[str, torch.Tensor], pieces: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """The arrays of a model's state and of the tokenizer's file."""
    numbers: dict[str, int] = pieces["model"]["vocab"]
    merges = [one if isinstance(one, str) else " ".join(one) for one in pieces["model"]["merges"]]
    table = state["table"].numpy()
    arrays: dict[str, NDArray[Any]] = {
        "vocabulary": _lines(sorted(numbers, key=numbers.__getitem__)),
        "merges": _lines(merges),
    }
    arrays["table"], arrays["scale"] = rows_of_bytes(table)
    difference = state["difference"].numpy()
    if np.any(difference):
        arrays["question"], arrays["question_scale"] = rows_of_bytes(table + difference)
    for name, values in state.items():
        if name.startswith("reader."):
            arrays[name.replace(".", "_")] = values.numpy().astype(np.float16)
    return arrays


def _lines(texts: list[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(texts).encode(), np.uint8)


def main() -> None:
    """Write the product's form of a model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("target", type=Path)
    options = parser.parse_args()
    pieces = json.loads((options.data / "pieces.json").read_text(encoding="utf-8"))
    states = [torch.load(model)["state"] for model in options.models]
    mean = {name: torch.stack([state[name] for state in states]).mean(0) for name in states[0]}
    arrays = exported(mean, pieces)
    np.savez(options.target, **arrays)  # type: ignore[arg-type]  # its stub mixes in its options
    sys.stderr.write(f"{options.target}: {options.target.stat().st_size / 1e6:.1f} MB\n")


if __name__ == "__main__":
    main()
