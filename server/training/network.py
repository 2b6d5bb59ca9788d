"""The model: code is a bag of word pieces, a question is read in order."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from training.pairs import Bags

DIMENSIONS = 256


class Model(nn.Module):
    """Questions and code as vectors of one space. The code side is a table only, so that indexing stays cheap."""

    def __init__(self, table: Tensor, width: int) -> None:
        super().__init__()
        self.table = nn.Parameter(table)
        self.difference = nn.Parameter(torch.zeros_like(table))
        """What a piece means in a question, less what it means in code."""
        self.reader = Reader(table.shape[1], width)

    def codes(self, bags: Bags) -> Tensor:
        """The sum of the pieces' rows, each times its weight: (texts, DIMENSIONS), any length."""
        return nn.functional.embedding_bag(
            torch.from_numpy(bags.pieces),
            self.table,
            torch.from_numpy(bags.starts),
            mode="sum",
            per_sample_weights=torch.from_numpy(bags.weights),
        )

    def questions(self, bags: Bags) -> Tensor:
        """The questions, read in order: (texts, DIMENSIONS), any length."""
        pieces = torch.from_numpy(bags.pieces)
        rows = nn.functional.embedding(pieces, self.table) + nn.functional.embedding(pieces, self.difference)
        # Half as many bytes in the products: a step takes two thirds of the time.
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return cast("Tensor", self.reader(rows, torch.from_numpy(bags.lengths)))


class Reader(nn.Module):
    """Two layers over a piece, its neighbours and the question's mean give each piece a weight and a correction."""

    def __init__(self, dimensions: int, width: int) -> None:
        super().__init__()
        self.width = width
        self.first = nn.Linear(dimensions, 4 * width)
        self.second = nn.Linear(width, 4 * width)
        self.out = nn.Linear(width, dimensions + 1)
        # Begins as a plain sum.
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, rows: Tensor, lengths: Tensor) -> Tensor:
        """One vector for each text of `lengths` rows."""
        owners = torch.repeat_interleave(torch.arange(len(lengths)), lengths)
        hidden = self._mix(rows * 0.5, self.first, owners, lengths)
        hidden = hidden + self._mix(hidden, self.second, owners, lengths)
        out = self.out(hidden).float()
        read = rows * (2 * torch.sigmoid(out[:, :1])) + out[:, 1:]
        return torch.zeros(len(lengths), rows.shape[1]).index_add(0, owners, read)

    def _mix(self, rows: Tensor, layer: nn.Linear, owners: Tensor, lengths: Tensor) -> Tensor:
        own, left, right, whole = layer(rows).float().split(self.width, 1)
        inside = (owners[1:] == owners[:-1]).float()[:, None]
        nothing = torch.zeros(1, self.width)
        left = torch.cat([nothing, left[:-1] * inside])
        right = torch.cat([right[1:] * inside, nothing])
        mean = torch.zeros(len(lengths), self.width).index_add(0, owners, whole) / lengths[:, None]
        return nn.functional.gelu(own + left + right + mean[owners], approximate="tanh")


def contrast(questions: Tensor, codes: Tensor, same: Tensor, temperature: float) -> tuple[float, Tensor, Tensor]:
    """Symmetric InfoNCE of unit vectors: the loss and its gradients, three times as fast as by autograd on a CPU."""
    size = len(questions)
    with torch.no_grad():
        scores = questions @ codes.T
        right = scores.diagonal().clone()
        odds = scores.sub_(1).div_(temperature).exp_()
        odds[same] = 0
        rows, columns = odds.sum(1), odds.sum(0)
        loss = ((1 - right) / temperature).mean() + 0.5 * (rows.log().mean() + columns.log().mean())
        odds.mul_((0.5 / size) * (1 / rows[:, None] + 1 / columns))
        odds.diagonal().sub_(1 / size)
        odds.div_(temperature)
        return float(loss), odds @ codes, odds.T @ questions
