"""detops in the place of other packages, and back."""

from .install import install, uninstall

__all__ = ["install", "uninstall"]
