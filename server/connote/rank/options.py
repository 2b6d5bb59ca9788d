"""What can be set about ranking."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class RankOptions:
    """How hits are ordered and which are too weak."""

    semantic_weight: float = field(default=1.5, metadata={"minimum": 0.0, "maximum": 10.0})
    """Weight of the vectors against all other signals."""
    penalties: bool = True
    """Whether tests, examples, generated files and prose rank lower than source."""
    min_score: float = field(default=0.15, metadata={"minimum": 0.0, "maximum": 1.0})
    """Hits below this score are not shown."""
