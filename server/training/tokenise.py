"""Pairs as arrays of word pieces: `python -m training.tokenise PAIRS DATA`.

DATA gets `pieces.json` (the byte-pair merges, learned when it is not there), `train.npz`, `held_out.npz` and
`stems.npy` (for each piece a number that is equal for pieces of one stem).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np
import snowballstemmer  # type: ignore[import-untyped]  # it has no stubs
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from training.words import split_words

HELD_OUT = frozenset(
    """
    tornado luigi supervisor winston bullmq nghttp2 memcached commons-io jsoup git-lfs prometheus-alertmanager
    elixir-ex-doc phpunit haskell-conduit leveldb dehydrated expo-file-system aiokafka huey node-gyp
    """.split()  # noqa: SIM905 - a list of many lines reads worse
)
"""Packages that measure a training: their pairs are never learned from."""

_VOCABULARY = 30_000
_LONGEST_QUESTION, _LONGEST_CODE, _LONGEST_NAME = 32, 450, 12
_LONGEST_WORD = 40
_SAME_QUESTIONS = 3


class Pieces:
    """Texts as numbers of word pieces, words remembered."""

    def __init__(self, path: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(path))
        self._known: dict[str, list[int]] = {}

    @property
    def vocabulary(self) -> list[str]:
        """The pieces in the order of their numbers."""
        numbers: dict[str, int] = self._tokenizer.get_vocab()
        return sorted(numbers, key=numbers.__getitem__)

    def __call__(self, text: str, most: int) -> list[int]:
        """At most `most` pieces of a text."""
        found: list[int] = []
        for word in split_words(text):
            if word not in self._known:
                self._known[word] = self._tokenizer.encode(word[:_LONGEST_WORD]).ids
            found += self._known[word]
            if len(found) > most:
                return found[:most]
        return found


def learn(counts: Counter[str], size: int, path: Path) -> None:
    """Learn byte-pair merges inside words, frequent words damped, and write them."""
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))  # noqa: S106 - a piece, no password
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=["[UNK]"], show_progress=False, min_frequency=5)
    damped = ((word, int(count**0.75)) for word, count in counts.items() if len(word) <= 30)
    lines = (" ".join([word] * min(count, 5000)) for word, count in damped if count >= 2)
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.save(str(path))


def read_pairs(path: Path) -> Iterator[dict[str, Any]]:
    """The pairs of one package."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def count_words(path: Path) -> Counter[str]:
    """How often each word stands in a package's pairs; a word of a question counts four times."""
    counts: Counter[str] = Counter()
    for pair in read_pairs(path):
        counts.update(split_words(pair["code"]))
        for word in split_words(pair["question"]):
            counts[word] += 4
    return counts


def encode(path: Path, pieces: Pieces) -> dict[str, NDArray[Any]]:
    """The arrays of one package. Lists of different lengths are one array `x_i` cut at `x_o`."""
    rows: dict[str, list[Any]] = defaultdict(list)
    seen: Counter[tuple[int, ...]] = Counter()
    for pair in read_pairs(path):
        question = pieces(pair["question"], _LONGEST_QUESTION)
        code = Counter(pieces(pair["code"], _LONGEST_CODE))
        if len(question) < 2 or code.total() < 10:
            continue
        seen[tuple(question)] += 1
        if seen[tuple(question)] > _SAME_QUESTIONS:
            continue
        rows["q"].append(question)
        rows["x"].append(pieces(f"{pair['scope']} {pair['name']}", _LONGEST_NAME))
        rows["c"].append(list(code))
        rows["w"].append(list(code.values()))
        rows["source"].append(pair["file"])
        rows["unit"].append(pair["unit"])
        rows["kind"].append(ord(pair["kind"]))
        rows["language"].append(pair["language"])
    arrays: dict[str, NDArray[Any]] = {}
    for name in ("q", "x", "c"):
        arrays[f"{name}_i"], arrays[f"{name}_o"] = _packed(rows[name])
    arrays["c_w"] = _packed(rows["w"])[0].astype(np.uint16)
    arrays["kind"] = np.array(rows["kind"], np.uint8)
    arrays["language"] = np.array(rows["language"], "U12")
    arrays["source"], arrays["unit"] = np.array(rows["source"], np.int64), np.array(rows["unit"], np.int64)
    return arrays


def join(packages: Sequence[tuple[str, dict[str, NDArray[Any]]]]) -> dict[str, NDArray[Any]]:
    """The arrays of all packages as one, numbers of files and units kept apart."""
    parts: dict[str, list[NDArray[Any]]] = defaultdict(list)
    shift = dict.fromkeys(("q", "x", "c"), 0)
    files = 0
    for number, (_, arrays) in enumerate(packages):
        parts["package"].append(np.full(len(arrays["kind"]), number, np.int32))
        parts["source"].append(arrays["source"] + files)
        files += int(arrays["source"].max()) + 1
        parts["unit"].append(arrays["unit"] + (number << 33))
        for name in ("kind", "language", "c_w", "q_i", "x_i", "c_i"):
            parts[name].append(arrays[name])
        for name in shift:
            parts[f"{name}_o"].append(arrays[f"{name}_o"][:-1] + shift[name])
            shift[name] += int(arrays[f"{name}_o"][-1])
    for name, end in shift.items():
        parts[f"{name}_o"].append(np.array([end]))
    joined = {name: np.concatenate(arrays) for name, arrays in parts.items()}
    names, joined["language"] = np.unique(joined["language"], return_inverse=True)
    return {**joined, "languages": names, "packages": np.array([name for name, _ in packages])}


def stems(vocabulary: Iterable[str]) -> NDArray[np.int32]:
    """A number for each piece, equal for pieces of one English stem."""
    stem = snowballstemmer.stemmer("english").stemWord
    numbers: dict[str, int] = {}
    found = [numbers.setdefault(stem(piece) if len(piece) > 3 else piece, len(numbers)) for piece in vocabulary]
    return np.array(found, np.int32)


def _packed(lists: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    ends = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return np.fromiter((number for one in lists for number in one), np.int32, int(ends[-1])), ends


def _encode(job: tuple[Path, Path]) -> tuple[str, dict[str, NDArray[Any]]]:
    path, pieces = job
    return path.stem, encode(path, Pieces(pieces))


def main() -> None:
    """Write the arrays of every package in PAIRS."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    options.data.mkdir(parents=True, exist_ok=True)
    pieces = options.data / "pieces.json"
    paths = sorted(path for path in options.pairs.glob("*.jsonl") if path.stat().st_size)
    with Pool(options.processes) as pool:
        if not pieces.exists():
            counts: Counter[str] = Counter()
            for one in pool.imap_unordered(count_words, [path for path in paths if not _is_held_out(path.stem)]):
                counts.update(one)
            learn(counts, _VOCABULARY, pieces)
        encoded = pool.map(_encode, [(path, pieces) for path in paths], chunksize=1)
    encoded = [(name, arrays) for name, arrays in encoded if len(arrays["kind"])]
    for held_out, target in ((False, "train"), (True, "held_out")):
        chosen = [(name, arrays) for name, arrays in encoded if _is_held_out(name) == held_out]
        joined = join(chosen)
        np.savez(options.data / f"{target}.npz", **joined)  # type: ignore[arg-type]  # its stub mixes in its options
        sys.stderr.write(f"{target}: {len(joined['kind'])} pairs of {len(chosen)} packages\n")
    np.save(options.data / "stems.npy", stems(Pieces(pieces).vocabulary))


def _is_held_out(folder: str) -> bool:
    return folder.partition("-")[2] in HELD_OUT


if __name__ == "__main__":
    main()
