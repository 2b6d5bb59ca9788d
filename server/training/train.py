"""Learn the model from DATA: `python -m training.train DATA MODEL --minutes 20`.

MODEL is a torch file with the model's state and the recipe; `export.py` makes the product's form of it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.network import DIMENSIONS, Model, contrast
from training.pairs import Pairs, Views

_REPORT = 100
_WARM_UP = 50
_MEASURED = 1200
"""Pairs of one package that measure it: each question must find its code among all of them."""


@dataclass(frozen=True)
class Recipe:
    """How long and how fast is learned."""

    minutes: float = 20.0
    temperature: float = 0.05
    rate: float = 0.005
    """Of the table, at the start; it falls to nearly nothing over the time."""
    question_rate: float = 0.0
    """Of the question's own table, as a share of `rate`: at 0 both sides have one table."""
    reader_rate: float = 0.003
    width: int = 96
    short: float = 0.2
    """Of the batches: only the first half of the dimensions is compared, so that these stand alone."""
    mixed: float = 0.7
    """Weight of the foreign code in the pairs that have some."""
    seed: int = 0


def train(pairs: Pairs, model: Model, recipe: Recipe, views: Views, report: Callable[[str], None]) -> int:
    """Learn until the time is over; gives the number of steps. One thread: the batches are small."""
    random = np.random.default_rng(recipe.seed)
    rates = {"table": recipe.rate, "difference": recipe.rate * recipe.question_rate}
    model.difference.requires_grad_(recipe.question_rate > 0)
    groups = [
        {"params": [parameter], "peak": rates.get(name, recipe.reader_rate)}
        for name, parameter in model.named_parameters()
        if parameter.requires_grad
    ]
    optimizer = torch.optim.Adam(groups, betas=(0.9, 0.99), fused=True)
    batches = pairs.batches(views, random)
    start, step, mean = time.monotonic(), 0, 0.0
    while (passed := (time.monotonic() - start) / (60 * recipe.minutes)) < 1:
        for group in optimizer.param_groups:
            group["lr"] = group["peak"] * min(1, (step + 1) / _WARM_UP) * max(0.02, 1 - passed)
        batch = next(batches)
        codes = model.codes(batch.codes) + model.codes(batch.names)
        neighbours = torch.roll(codes.detach(), 1, 0) * recipe.mixed
        codes = codes + torch.from_numpy(batch.mixed)[:, None] * neighbours
        questions = model.questions(batch.questions)
        size = DIMENSIONS if random.random() >= recipe.short else DIMENSIONS // 2
        questions, codes = _unit(questions[:, :size]), _unit(codes[:, :size])
        loss, to_questions, to_codes = contrast(questions, codes, torch.from_numpy(batch.same), recipe.temperature)
        optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward([questions, codes], [to_questions, to_codes])
        optimizer.step()
        step += 1
        mean = 0.98 * mean + 0.02 * loss if step > 1 else loss
        if step % _REPORT == 0:
            report(f"step {step}, loss {mean:.3f}, {time.monotonic() - start:.0f} s")
    return step


def measure(pairs: Pairs, model: Model) -> dict[str, float]:
    """Mean reciprocal rank in packages never learned from: of all pairs, and of those with hardly a shared word."""
    found: dict[str, list[float]] = {"all": [], "other words": []}
    random = np.random.default_rng(1)
    for package in np.unique(pairs.packages):
        rows = random.permutation(np.flatnonzero(pairs.packages == package))[:_MEASURED]
        if len(rows) < 100:
            continue
        ranks = _reciprocal_ranks(pairs, model, rows)
        found["all"].append(float(ranks.mean()))
        found["other words"].append(float(ranks[pairs.overlap(rows) < 0.25].mean()))
    return {name: round(float(np.mean(values)), 4) for name, values in found.items()}


def _reciprocal_ranks(pairs: Pairs, model: Model, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    with torch.no_grad():
        questions = _unit(model.questions(pairs.texts("questions", rows))).numpy()
        codes = _unit(model.codes(pairs.texts("codes", rows))).numpy()
    scores = questions @ codes.T
    units = pairs.units[rows]
    scores[(units[:, None] == units) & ~np.eye(len(rows), dtype=bool)] = -1
    ranks = (scores > scores.diagonal()[:, None]).sum(1) + 1
    return np.where(ranks <= 20, 1 / ranks, 0)


def _unit(vectors: Tensor) -> Tensor:
    return torch.nn.functional.normalize(vectors, dim=1)


def main() -> None:
    """Train, and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--table", type=Path, help="the first table (.npy), or a model to go on from (.pt)")
    for name, default in {**asdict(Recipe()), **asdict(Views())}.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    options = vars(parser.parse_args())
    recipe = Recipe(**{name: options[name] for name in asdict(Recipe())})
    views = Views(**{name: options[name] for name in asdict(Views())})
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(1)
    stems = np.load(options["data"] / "stems.npy")
    table = torch.randn(len(stems), DIMENSIONS) * 0.1
    state: dict[str, Any] = {}
    if options["table"] and options["table"].suffix == ".npy":
        table = torch.from_numpy(np.load(options["table"]).astype(np.float32))
    elif options["table"]:
        state = torch.load(options["table"])["state"]
    model = Model(table, recipe.width)
    if state:
        model.load_state_dict(state)
    held_out = Pairs(options["data"] / "held_out.npz", stems)
    _say(f"before: {measure(held_out, model)}")
    steps = train(Pairs(options["data"] / "train.npz", stems), model, recipe, views, _say)
    _say(f"after {steps} steps: {measure(held_out, model)}")
    told = {"recipe": asdict(recipe), "views": asdict(views), "steps": steps}
    torch.save({"state": model.state_dict(), **told}, options["model"])


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


if __name__ == "__main__":
    main()
