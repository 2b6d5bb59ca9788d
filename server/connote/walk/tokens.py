"""Tokens in texts: what services hand out as keys has forms that nothing else has."""

from __future__ import annotations

import re

_MARKS = (
    "AKIA", "ASIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xapp-",
    "sk-ant-", "sk-proj-", "sk_live_", "rk_live_", "npm_", "pypi-AgE", "hf_", "dop_v1_", "AGE-SECRET-KEY-1", "shpat_",
    "SG.",
)  # fmt: skip
"""One of them is in every token: looking for them first makes the search cheap."""
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9_])(?:"
    r"(?:AKIA|ASIA)[A-Z2-7]{16}"
    r"|gh[pousr]_[A-Za-z0-9]{36}"
    r"|github_pat_[A-Za-z0-9_]{82}"
    r"|glpat-[A-Za-z0-9_-]{20}"
    r"|xox[bp]-[0-9]{8,14}-[A-Za-z0-9-]{20,80}"
    r"|xapp-[0-9]-[A-Z0-9]{8,14}-[0-9]{8,14}-[a-f0-9]{40,80}"
    r"|sk-(?:ant|proj)-[A-Za-z0-9_-]{32,200}"
    r"|[sr]k_live_[A-Za-z0-9]{24,100}"
    r"|npm_[A-Za-z0-9]{36}"
    r"|pypi-AgE[A-Za-z0-9_-]{50,250}"
    r"|hf_[A-Za-z0-9]{34}"
    r"|dop_v1_[a-f0-9]{64}"
    r"|AGE-SECRET-KEY-1[A-Z0-9]{58}"
    r"|shpat_[a-fA-F0-9]{32}"
    r"|SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"
    r")(?![A-Za-z0-9_])"
)
_PLACEHOLDER = re.compile(r"example|placeholder|x{5}|0{6}|1234567|abcdefg|your", re.IGNORECASE)
_FEWEST_KINDS = 10
"""Different characters: a placeholder repeats a few."""


def without_tokens(text: str) -> str:
    """Return the text with `*` in place of every character of a token, so that all else stays where it is.

    Placeholders that only have the form of one are left alone.
    """
    if not any(mark in text for mark in _MARKS):
        return text
    return _TOKEN.sub(lambda found: found[0] if _is_placeholder(found[0]) else "*" * len(found[0]), text)


def _is_placeholder(token: str) -> bool:
    return _PLACEHOLDER.search(token) is not None or len(set(token)) < _FEWEST_KINDS
