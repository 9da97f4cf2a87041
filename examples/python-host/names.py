"""From the name the model wrote to the tool it means: by exact name, by case and spelling, by a `_tool` too many. Never a guess."""

import re

_SPACE = " \t\n\v\f\r"
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_FAR = 3
_MOST = 5
_SHORTEST = 3


def lower(name):
    """ASCII alone: the Kelvin sign is no k."""
    return name.translate(_LOWER)


def fold(name):
    return lower(_CAMEL.sub("_", name.strip(_SPACE)).replace("-", "_").replace(" ", "_"))


def resolve(name, tools):
    """The tool's registered name, or None. `tools`: registered names, in any order."""
    if name in tools:
        return name
    wanted = fold(name)
    found = [tool for tool in tools if lower(tool) == lower(name) or fold(tool) == wanted]
    if found:
        return found[0] if len(found) == 1 else None
    for _ in range(2):
        cut = wanted.removesuffix("_tool")
        if cut == wanted:
            cut = wanted.removesuffix("tool")
        if cut == wanted or len(cut) < _SHORTEST:
            return None
        wanted = cut
        found = [tool for tool in tools if fold(tool) == wanted]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def near(name, tools):
    """Tools whose names are spelled almost so, nearest first."""
    wanted = fold(name)
    # A name that is longer by more than the distance is not measured: what the model wrote may be endless.
    measured = [(_distance(wanted, fold(t)), t) for t in tools if abs(len(fold(t)) - len(wanted)) <= _FAR]
    return [tool for far, tool in sorted(measured) if far <= _FAR][:_MOST]


def _distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]
