"""Event streams as the WHATWG describes them, from bytes cut anywhere. It knows nothing of what an event means."""

import codecs
import re

_LINE_END = re.compile(r"\r\n|\n|\r")


class EventReader:
    """Feed it bytes; it gives each finished event as (event type, data). An event without its blank line is never given."""

    def __init__(self):
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._begun = False
        self._after_cr = False
        self._line = []
        self._type = ""
        self._data = []

    def feed(self, chunk):
        text = self._decode(chunk)
        if not text:
            return []
        if not self._begun:
            self._begun = True
            text = text.removeprefix("\ufeff")
        # A CR ends its line at once; the LF of a CRLF may come with the next bytes and ends nothing more.
        ended_cr = text.endswith("\r") if text else self._after_cr
        if self._after_cr and text.startswith("\n"):
            text = text[1:]
            ended_cr = text.endswith("\r")
        self._after_cr = ended_cr
        first, *others = _LINE_END.split(text)
        self._line.append(first)
        events = []
        for part in others:
            self._take("".join(self._line), events)
            self._line = [part]
        return events

    def _take(self, line, events):
        if line == "":
            if self._data:
                events.append((self._type, "\n".join(self._data)))
            self._type, self._data = "", []
            return
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._type = value
