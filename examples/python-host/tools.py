"""What is offered to the model: the tools whose names and schemas every provider takes. What is left out is told."""

import json
import re
from dataclasses import dataclass

_LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")


@dataclass
class Tool:
    key: str
    name: str
    description: str
    schema: dict

    @property
    def takes_nothing(self):
        """Would `{}` do? Certainly not where a field is required."""
        required = self.schema.get("required")
        return not (isinstance(required, list) and required)


def offered(given):
    """Tools by name, and a sentence for each one that is left out."""
    tools, left_out = {}, []
    # What is the host's own comes first: nobody else's tool takes its name.
    for fixture in sorted(given, key=lambda t: t.get("from") != "host"):
        name = fixture["name"]
        schema, fault = _schema(fixture["schema"])
        if not _LEGAL.match(name):
            fault = "its name is not legal"
        elif name in tools:
            fault = "another tool has its name"
        if fault:
            left_out.append(f"The tool {name[:80]!r} is left out: {fault}.")
        else:
            tools[name] = Tool(fixture["key"], name, fixture["description"], schema)
    order = [t["name"] for t in given]
    return dict(sorted(tools.items(), key=lambda item: order.index(item[0]))), left_out


def _schema(text):
    try:
        schema = json.loads(text)
    except (ValueError, RecursionError):
        return None, "its schema is not JSON"
    if not isinstance(schema, dict):
        return None, "its schema is no object"
    kind = schema.get("type", "object")
    if isinstance(kind, list) and "object" in kind:
        kind = "object"
    if kind != "object":
        return None, "its schema takes no object"
    return {**schema, "type": "object"}, None
