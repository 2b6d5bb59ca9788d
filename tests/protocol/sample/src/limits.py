"""Limits on use."""

import time


class Limiter:
    """Counts calls and refuses more than a quota."""

    def __init__(self, quota: int) -> None:
        self.quota = quota
        self.calls = []

    def check_quota(self, user: str) -> bool:
        """Whether a user may call again, or has used up the quota."""
        now = time.time()
        self.calls = [call for call in self.calls if call > now - 60]
        return len(self.calls) < self.quota
