"""Whole networks of other people on detops: which of them run on a CPU, and where their time goes.

    python -m detops.networks --list
    python -m detops.networks mmdet3d:second

Each framework has a file here with a ``FRAMEWORK``: how a program of it starts (``detops.install``
and its imports), and functions that build its networks from the framework's own configurations. They
see generated laser scenes (:mod:`detops.networks.scenes`), the same for all, so there is nothing to
download. Weights are random: what is shown is that a network runs, and how fast, not what it finds.
"""

from __future__ import annotations

from ._framework import Framework, Model, all_frameworks

__all__ = ["Framework", "Model", "all_frameworks"]
