"""What the model said in one answer, in any dialect: parts in order, and how the round ended."""

import json
import re
from dataclasses import dataclass, field

CUT_OFF = {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"}
"""A round was cut off when its reason, trimmed and lower-cased, is one of these."""

OPENS_LADDER = {"tool_calls", "tool_use", "stop", "end_turn", "stop_sequence", "function_call", "STOP"}
"""The reasons, as they are spelled, after which damaged arguments may be mended."""

STOPPED = {"content_filter", "refusal"}
"""A filter or the model itself stopped the round: none of its calls is run."""

ANNOUNCES_CALLS = {"tool_calls", "tool_use", "function_call"}

_SURROGATE = re.compile("[\ud800-\udfff]")


class Broken(Exception):
    """The stream ended, or went wrong, before its round was complete."""


def joined(text):
    """Surrogate halves that came in two deltas are one character; lone ones stay as they are."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def event_json(data):
    """The object an event carries. Raises Broken for anything else: data that cannot be read is never passed over."""
    try:
        value = json.loads(data, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Broken("the model sent an event that is not JSON") from None
    if not isinstance(value, dict):
        raise Broken("the model sent an event that is no JSON object")
    return value


def _no_constant(name):
    raise ValueError(f"{name} is not JSON")


def text_of(value):
    """A field that should be text; everything else counts as absent."""
    return value if isinstance(value, str) else ""


@dataclass
class Text:
    pieces: list = field(default_factory=list)
    citations: list = field(default_factory=list)

    @property
    def text(self):
        return joined("".join(self.pieces))


@dataclass
class Sealed:
    """A part that goes back as it came: reasoning with its signature, what the provider ran itself."""

    block: dict
    pieces: list = field(default_factory=list)


@dataclass
class Call:
    id: str = ""
    name: str = ""
    pieces: list = field(default_factory=list)
    carried: str = ""
    """Arguments that the call's first event brought by itself, as JSON text."""
    custom: bool = False
    """Its input is free text, not JSON."""
    ended: bool = False

    @property
    def text(self):
        said = joined("".join(self.pieces))
        return self.carried if self.carried and not said.strip() else said


@dataclass
class Answer:
    parts: list = field(default_factory=list)
    reason: str | None = None
    complete: bool = False

    @property
    def calls(self):
        return [part for part in self.parts if isinstance(part, Call)]

    @property
    def cut_off(self):
        return self.reason is not None and self.reason.strip().lower() in CUT_OFF

    @property
    def opens_ladder(self):
        return self.reason in OPENS_LADDER


@dataclass
class Done:
    """A call as the history shows it, and its result."""

    id: str
    """This host's own: unique in its session, whatever the model's was."""
    name: str
    input: str
    """JSON text: what ran, or what the model wrote, or {}."""
    text: str
    error: bool
    custom: bool = False
