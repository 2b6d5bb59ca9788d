"""Vectors from a sentence-transformers model in a folder: the only user of onnxruntime and tokenizers."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from connote.embed import Part
from connote.embed.rows import mean, unit
from connote.errors import EmbedError

if TYPE_CHECKING:
    from connote.embed import EmbedOptions

_NAMES = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
_BATCH = 4
"""Texts at once: more of them are not faster on a processor, take much memory, and are longer under way."""
_USUAL_TOKENS, _MOST_TOKENS = 512, 8192
_WHOLE = frozenset(("sentence_embedding", "sentence_embeddings", "text_embeds"))
"""Outputs that are pooled already."""
_POOLING = {
    "pooling_mode_cls_token": "first",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "last",
}


@dataclass(frozen=True)
class Folder:
    """What a model's folder says of it."""

    model: Path
    tokenizer: Path
    pooling: str
    """`mean`, `first`, `last` or `max` of the tokens."""
    tokens: int
    """The most tokens that it was made for, with those that begin and end a text."""
    query_prefix: str
    document_prefix: str


class OnnxEmbedder:
    """Any number of threads may use it. Better than the embedded model and far slower; nothing is downloaded.

    What is longer than the model takes is read in pieces, and their mean counts, so that none of it is lost.
    """

    dimensions = 0
    note: str | None = None

    def __init__(self, options: EmbedOptions) -> None:
        self._options = options
        self._path = Path(options.model).expanduser()
        self._lock = threading.Lock()
        self._loaded: _Model | None = None
        self.name = self._path.name or "onnx"
        self.dimensions = options.dimensions

    def fingerprint(self) -> str:
        """What is in the folder, the dimensions asked for, and what is put before a text."""
        options = self._options
        return f"onnx-{(self._digest, options.dimensions, options.document_prefix)!r}"

    @cached_property
    def _digest(self) -> str:
        digest = blake2b(digest_size=12)
        try:
            folder = read_folder(self._path)
            parts = sorted({folder.model, *folder.model.parent.glob(f"{folder.model.name}*"), folder.tokenizer})
            for part in parts:
                with part.open("rb") as file:
                    while block := file.read(1 << 20):
                        digest.update(block)
        except (EmbedError, OSError):
            return f"nothing at {self._path}"
        digest.update(repr((folder.pooling, folder.tokens, folder.document_prefix)).encode())
        return digest.hexdigest()

    def parts(self, texts: Sequence[str], cancel: threading.Event | None = None) -> Iterator[Part]:
        """As `Embedder.parts`, texts of like length together."""
        if not texts:
            return
        model = self._model()
        prefix = self._options.document_prefix or model.folder.document_prefix
        order = sorted(range(len(texts)), key=lambda place: -len(texts[place]))
        for start in range(0, len(order), _BATCH):
            if cancel is not None and cancel.is_set():
                return
            places = order[start : start + _BATCH]
            yield self._part(model, places, [prefix + texts[place] for place in places])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """As `Embedder.embed_query`."""
        model = self._model()
        prefix = self._options.query_prefix or model.folder.query_prefix
        part = self._part(model, [0], [prefix + text])
        if part.refused:
            raise EmbedError(part.refused[0])
        vector: NDArray[np.float32] = part.vectors[0]
        return vector

    def forget(self) -> None:
        """As `Embedder.forget`: nothing is learned."""

    def close(self) -> None:
        """As `Embedder.close`: the model's memory is let go of."""
        with self._lock:
            self._loaded = None

    def _model(self) -> _Model:
        with self._lock:
            if self._loaded is None:
                self._loaded = _Model(read_folder(self._path))
                native = self._loaded.dimensions
                if self._options.dimensions > native > 0:
                    raise EmbedError(
                        f"{self.name} has {native} dimensions, and embed.dimensions asks for "
                        f"{self._options.dimensions}: set it to 0."
                    )
                self.dimensions = self._options.dimensions or native
            return self._loaded

    def _part(self, model: _Model, places: Sequence[int], texts: Sequence[str]) -> Part:
        vectors = [unit(row, self._options.dimensions) for row in model.rows(texts)]
        good = [vector for vector in vectors if vector is not None]
        if good:
            self.dimensions = len(good[0])
        refused = {
            place: f"{self.name} answers with what is no vector."
            for place, vector in zip(places, vectors, strict=True)
            if vector is None
        }
        rows = np.stack(good) if good else np.empty((0, self.dimensions), np.float32)
        return Part([place for place in places if place not in refused], rows, refused)


def read_folder(path: Path) -> Folder:
    """What is in a model's folder. Raises EmbedError for one that is none, or holds a model of another kind."""
    model = next((path / name for name in _NAMES if (path / name).is_file()), None)
    tokenizer = path / "tokenizer.json"
    if model is None or not tokenizer.is_file():
        missing = "model.onnx" if model is None else "tokenizer.json"
        raise EmbedError(f"embed.model names no ONNX model: {path} has no {missing}.")
    for module in _json(path / "modules.json", list):
        kind = str(module.get("type")) if isinstance(module, dict) else ""
        if not kind.endswith((".Transformer", ".Pooling", ".Normalize")):
            raise EmbedError(f"The model in {path} has a part that connote does not know: {kind}.")
    pooling = _json(path / "1_Pooling" / "config.json", dict)
    chosen = [name for name, value in pooling.items() if name.startswith("pooling_mode") and value is True]
    if len(chosen) > 1 or not set(chosen) <= set(_POOLING):
        raise EmbedError(f"The model in {path} pools its tokens in a way that connote does not know.")
    prompts = _json(path / "config_sentence_transformers.json", dict).get("prompts")
    prompts = prompts if isinstance(prompts, dict) else {}
    document = next((prompts[name] for name in ("document", "passage") if isinstance(prompts.get(name), str)), "")
    query = prompts.get("query")
    return Folder(
        model=model,
        tokenizer=tokenizer,
        pooling=_POOLING[chosen[0]] if chosen else "mean",
        tokens=_tokens(path),
        query_prefix=query if isinstance(query, str) else "",
        document_prefix=document,
    )


def _tokens(path: Path) -> int:
    """The most tokens of a text, by the first of the folder's files that says it."""
    for name, key in (
        ("sentence_bert_config.json", "max_seq_length"),
        ("tokenizer_config.json", "model_max_length"),
        ("config.json", "max_position_embeddings"),
    ):
        value = _json(path / name, dict).get(key)
        # Tokenisers without a limit say so with an enormous number.
        if isinstance(value, int) and 8 <= value <= 1_000_000:
            return min(value, _MOST_TOKENS)
    return _USUAL_TOKENS


def _json(file: Path, kind: type[Any]) -> Any:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return kind()
    return found if isinstance(found, kind) else kind()


class _Model:
    """A model in memory."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        try:
            import onnxruntime  # type: ignore[import-untyped, import-not-found, unused-ignore]  # noqa: PLC0415 - an extra
            import tokenizers  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415 - as above
        except ImportError as error:
            raise EmbedError(
                f"embed.provider is 'onnx', which needs {error.name}: pip install 'connote[onnx]'."
            ) from error
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = os.cpu_count() or 1
        # Threads that wait in a loop would take the cores from the searches, and from everybody else's work.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self._tokenizer = tokenizers.Tokenizer.from_file(str(folder.tokenizer))
            self._session = onnxruntime.InferenceSession(str(folder.model), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # the libraries raise what they like for a damaged file
            raise EmbedError(f"The model in {folder.model.parent} cannot be loaded: {error}") from error
        self._tokenizer.enable_truncation(folder.tokens)
        self._tokenizer.no_padding()
        self._inputs = {one.name: np.int32 if "int32" in one.type else np.int64 for one in self._session.get_inputs()}
        outputs = {one.name: one for one in self._session.get_outputs()}
        self._output = next((name for name in outputs if name in _WHOLE), next(iter(outputs)))
        size = outputs[self._output].shape[-1]
        self.dimensions = size if isinstance(size, int) else 0

    def rows(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """One row a text, of any length; the weighted mean of a long one's pieces. Raises EmbedError."""
        windows: list[Any] = []
        owners: list[int] = []
        for place, encoding in enumerate(self._tokenizer.encode_batch(list(texts))):
            for window in (encoding, *encoding.overflowing):
                windows.append(window)
                owners.append(place)
        vectors: list[NDArray[np.float32]] = []
        for start in range(0, len(windows), _BATCH):
            vectors += list(self._run(windows[start : start + _BATCH]))
        found = []
        for place in range(len(texts)):
            mine = [number for number, owner in enumerate(owners) if owner == place]
            units = [unit(vectors[number]) for number in mine]
            if len(mine) == 1 or any(vector is None for vector in units):
                found.append(vectors[mine[0]])
            else:
                sizes = [len(windows[number].ids) for number in mine]
                found.append(mean([vector for vector in units if vector is not None], sizes))
        return found

    def _run(self, windows: Sequence[Any]) -> NDArray[np.float32]:
        longest = max(len(window.ids) for window in windows)
        ids = np.zeros((len(windows), longest), np.int64)
        mask, types = np.zeros_like(ids), np.zeros_like(ids)
        for row, window in enumerate(windows):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = 1
            types[row, : len(window.ids)] = window.type_ids
        known = {
            "input_ids": ids,
            "attention_mask": mask,
            "token_type_ids": types,
            "position_ids": np.maximum(mask.cumsum(axis=1) - 1, 0),
        }
        missing = self._inputs.keys() - known.keys()
        if missing:
            raise EmbedError(f"The model in {self.folder.model.parent} wants inputs that connote has not: {missing}.")
        feed = {name: known[name].astype(kind) for name, kind in self._inputs.items()}
        try:
            output = self._session.run([self._output], feed)[0]
        except Exception as error:  # the library raises what it likes
            raise EmbedError(f"The model in {self.folder.model.parent} fails: {error}") from error
        return _pooled(np.asarray(output, np.float32), mask, self.folder.pooling)


def _pooled(output: NDArray[np.float32], mask: NDArray[np.int64], pooling: str) -> NDArray[np.float32]:
    """One row a text from one row a token."""
    if output.ndim == 2:
        return output
    if pooling == "first":
        first: NDArray[np.float32] = output[:, 0]
        return first
    if pooling == "last":
        last: NDArray[np.float32] = output[np.arange(len(output)), mask.sum(axis=1) - 1]
        return last
    weights = mask[:, :, None].astype(np.float32)
    if pooling == "max":
        highest: NDArray[np.float32] = np.where(weights > 0, output, -np.inf).max(axis=1)
        return highest
    total: NDArray[np.float32] = (output * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1)
    return total
