"""Attributes of other packages that are changed, and changed back."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["MISSING", "Changes"]

MISSING = object()


@dataclass
class Changes:
    made: list[tuple[object, str, object, object]] = field(default_factory=list)
    """Module or class, name, what was there, what was put there."""

    def put(self, owner: object, name: str, value: object) -> None:
        before = vars(owner).get(name, MISSING)
        if before is value:  # Imported from a module below, in which it is changed already.
            before = next((change[2] for change in self.made if change[3] is value), value)
        self.made.append((owner, name, before, value))
        setattr(owner, name, value)

    def undo(self) -> None:
        """Except for those that somebody has changed since."""
        for owner, name, before, value in reversed(self.made):
            if vars(owner).get(name) is not value:
                continue
            if before is MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, before)
        self.made.clear()
