"""Prints each public name of the given modules that has no description: a docstring, or `#:` before an alias."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Iterator


def undescribed(module: ModuleType) -> Iterator[str]:
    if not module.__doc__:
        yield module.__name__
    public = getattr(module, "__all__", None) or [each for each in vars(module) if not each.startswith("_")]
    own = [name for name in public if is_own(module, getattr(module, name))]
    if not own:
        yield f"{module.__name__} has no names"
    for name in own:
        value = getattr(module, name)
        place = f"{module.__name__}.{name}"
        if isinstance(value, type):
            yield from (f"{place}{each}" for each in undescribed_parts(value))
        elif isinstance(value, FunctionType):
            if not value.__doc__:
                yield place
        elif not is_alias_described(module, name):
            yield place


def is_own(module: ModuleType, value: Any) -> bool:
    """Without `__all__`, a module also shows what it imports."""
    home = getattr(value, "__module__", None)
    return hasattr(module, "__all__") or home == module.__name__


def undescribed_parts(kind: type) -> Iterator[str]:
    # A data class without a description gets its parameters as one.
    if not kind.__doc__ or kind.__doc__.startswith(f"{kind.__name__}("):
        yield ""
    for name, value in vars(kind).items():
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        is_written = isinstance(function, FunctionType) and function.__code__.co_filename == inspect.getfile(kind)
        if is_written and (name == "__init__" or not name.startswith("_")) and not function.__doc__:
            yield f".{name}"


def is_alias_described(module: ModuleType, name: str) -> bool:
    folder = Path(str(module.__file__)).parent
    for file in folder.glob("*.py"):
        lines = file.read_text("utf-8").splitlines()
        for statement in ast.parse("\n".join(lines)).body:
            targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
            is_there = any(isinstance(each, ast.Name) and each.id == name for each in targets)
            if is_there and lines[statement.lineno - 2].startswith("#:"):
                return True
    return False


for each in sys.argv[1:]:
    for place in undescribed(importlib.import_module(each)):
        print(place)
