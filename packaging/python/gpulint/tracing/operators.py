"""What each built-in function of PyTorch is called in the model language.

A handler runs the function, records the step and returns the result. Arguments equal to the language's
defaults are left out. The handlers stand in layers.py, pointwise.py, products.py and layout.py.
"""

from . import layers, layout, losses, pointwise, products
from .custom import record_custom, replacements
from .registry import HANDLERS, NOT_FOLLOWED, arguments, given, handles, name_of, one

products.register(handles, arguments)
layout.register(handles, arguments, given, one)

__all__ = ["HANDLERS", "NOT_FOLLOWED", "layers", "losses", "name_of", "pointwise", "record_custom", "replacements"]
