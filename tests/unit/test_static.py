"""The embedded model: what its vectors promise."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest

from connote.embed import EmbedOptions, open_embedder
from connote.embed.static import MODEL, StaticEmbedder
from connote.errors import ConfigError

WEIGHTS = "66512e2220be5076ab4bcec914ce03c52d9a5ae2a6712d949b60e9020820254a"


@pytest.fixture(scope="module")
def model() -> StaticEmbedder:
    return StaticEmbedder()


def test_the_weights_are_the_ones_that_were_measured() -> None:
    assert WEIGHTS == sha256(MODEL.read_bytes()).hexdigest()


def test_vectors_have_length_one_and_the_order_of_the_texts(model: StaticEmbedder) -> None:
    texts = [f"def retry_{number}(): back off and try again" for number in range(600)]

    together, alone = model.embed(texts), np.stack([model.embed([text])[0] for text in texts])

    assert (600, 256) == together.shape
    assert np.float32 == together.dtype
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(alone, together, atol=1e-6)


def test_meaning_brings_texts_together_that_share_no_word(model: StaticEmbedder) -> None:
    question = model.embed_query("stop hammering a failing server")
    near, far = model.embed(
        ["def retry_with_backoff(request): sleep(delay * 2 ** attempt)", "class ColorPalette: red = '#f00'"]
    )

    assert question @ near > question @ far + 0.1


@pytest.mark.parametrize("text", ["", " ", "🎉", "{}[]();"])
def test_a_text_without_words_has_a_vector_too(model: StaticEmbedder, text: str) -> None:
    assert np.isclose(1, np.linalg.norm(model.embed_query(text)))


def test_the_order_of_a_question_matters_and_that_of_code_does_not(model: StaticEmbedder) -> None:
    one, other = "copy the file over the socket", "copy the socket over the file"

    assert not np.allclose(model.embed_query(one), model.embed_query(other), atol=1e-4)
    np.testing.assert_allclose(*model.embed([one, other]), atol=1e-6)


def test_what_is_longer_than_a_question_is_taken_as_code(model: StaticEmbedder) -> None:
    code = "def retry(request):\n    return backoff(request, attempts)\n" * 20

    np.testing.assert_allclose(model.embed([code])[0], model.embed_query(code), atol=1e-6)


def test_no_texts_have_no_vectors(model: StaticEmbedder) -> None:
    assert (0, 256) == model.embed([]).shape


def test_an_unknown_provider_is_named() -> None:
    with pytest.raises(ConfigError, match="'statc'"):
        open_embedder(EmbedOptions(provider="statc"))
