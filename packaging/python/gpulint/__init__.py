"""gpulint: a linter for deep-learning training configs.

The program is native; `python -m gpulint` runs it. This package adds what needs PyTorch: `record` writes down one
training step of a network of your own, so that the program knows it from then on (docs/models.md).
"""

__all__ = ["Untraceable", "record"]


def record(model, batch, **options):
    """Records one training step of `model` on `batch` as `.gpulint/models/NAME.yaml`; see recording.record."""
    from .recording import record as run

    return run(model, batch, **options)


def __getattr__(name):
    if name == "Untraceable":  # needs PyTorch, which importing this package does not
        from .problems import Untraceable

        return Untraceable
    if name == "__version__":
        from .binary import version

        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
