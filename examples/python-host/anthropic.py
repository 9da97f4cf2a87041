"""The anthropic-messages dialect: requests out, events in. Messages are kept as JSON text, so what was sent once never changes."""

import json
import re

from answer import Answer, Broken, Call, Sealed, Text, event_json, text_of

PATH = "/messages"
_BEYOND_ASCII = re.compile("[^\x00-\x7f]+")
_KNOWN = {
    "",
    "message",
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "ping",
    "error",
}


def headers(key):
    return {"x-api-key": key, "anthropic-version": "2023-06-01"}


def tool(name, description, schema):
    return {"name": name, "description": description, "input_schema": schema}


def body(tools, messages):
    """The request's bytes. `messages`: JSON texts, in order."""
    head = {"model": "model", "max_tokens": 4096, "stream": True, **({"tools": tools} if tools else {})}
    return f'{json.dumps(head)[:-1]}, "messages": [{", ".join(messages)}]}}'.encode("ascii")


def user(text):
    return json.dumps({"role": "user", "content": text if text.strip() else "(nothing)"})


def assistant(answer, done, last=False):
    """The answer as it goes back, or None where nothing is left of it. `last`: nothing will come after it in the request."""
    waiting = iter(done)
    blocks = []
    for part in answer.parts:
        if isinstance(part, Call):
            call = next(waiting)
            blocks.append(
                f'{{"type": "tool_use", "id": {json.dumps(call.id)}, "name": {json.dumps(call.name)},'
                f' "input": {_ascii(call.input)}}}'
            )
        elif isinstance(part, Sealed):
            if _may_go_back(part):
                blocks.append(json.dumps(_sealed(part)))
        elif part.text.strip():
            block = {"type": "text", "text": part.text}
            blocks.append(json.dumps({**block, "citations": part.citations} if part.citations else block))
    if last and blocks and isinstance(answer.parts[-1], Text) and answer.parts[-1].text.strip():
        blocks[-1] = json.dumps({"type": "text", "text": answer.parts[-1].text.rstrip()})
    return f'{{"role": "assistant", "content": [{", ".join(blocks)}]}}' if blocks else None


def results(done):
    """The messages that answer the calls."""
    blocks = [
        {"type": "tool_result", "tool_use_id": d.id, "content": d.text, **({"is_error": True} if d.error else {})}
        for d in done
    ]
    return [json.dumps({"role": "user", "content": blocks})]


def _ascii(text):
    """JSON text without a character beyond ASCII: those can only stand inside strings, where an escape says the same."""
    return _BEYOND_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text)


def _may_go_back(part):
    return part.block.get("type") != "thinking" or bool(part.block.get("signature"))


def _sealed(part):
    text = "".join(part.pieces)
    if not text.strip():
        return part.block
    try:
        return {**part.block, "input": json.loads(text)}
    except (ValueError, RecursionError):
        return part.block


class Reader:
    """Takes one answer's events. `take` gives the text the user may see now; what is known so far stands in `answer`."""

    def __init__(self):
        self.answer = Answer()
        self.over = False
        self._at = {}
        self._last = None

    def take(self, kind, data):
        """The text to show, and whether this was progress. Raises Broken."""
        if kind not in _KNOWN:
            return "", False
        event = event_json(data)
        kind = event.get("type") or kind
        if kind == "error":
            raise Broken(f"the model's server reported an error: {_said(event.get('error'))}")
        if kind == "content_block_start":
            return self._start(event), True
        if kind == "content_block_delta":
            return self._delta(event), True
        if kind == "content_block_stop":
            part = self._part(event)
            if isinstance(part, Call):
                part.ended = True
        elif kind == "message_delta":
            delta = event.get("delta")
            reason = text_of(delta.get("stop_reason")) if isinstance(delta, dict) else ""
            if reason:
                self.answer.reason = reason
                self.answer.complete = True
        elif kind == "message_stop":
            self.over = True
        return "", kind != "ping"

    def _part(self, event):
        index = event.get("index")
        return self._at.get(index) if isinstance(index, int) else self._last

    def _start(self, event):
        block = event.get("content_block")
        if not isinstance(block, dict):
            raise Broken("the model began a block that is no object")
        kind = block.get("type")
        shown = ""
        if kind == "tool_use":
            part = self._call(event, block)
        elif kind == "text":
            shown = text_of(block.get("text"))
            part = Text([shown], list(block.get("citations") or []))
        else:
            part = Sealed(dict(block))
        if part is not self._part(event):
            self.answer.parts.append(part)
        self._last = part
        if isinstance(event.get("index"), int):
            self._at[event["index"]] = part
        return shown

    def _call(self, event, block):
        given = block.get("input")
        call = Call(text_of(block.get("id")), text_of(block.get("name")))
        if given:
            call.carried = given if isinstance(given, str) else json.dumps(given)
        before = self._part(event) if isinstance(event.get("index"), int) else None
        # The same start said twice begins one call.
        if isinstance(before, Call) and not before.ended and (before.id, before.name) == (call.id, call.name):
            return before
        return call

    def _delta(self, event):
        part, delta = self._part(event), event.get("delta")
        if part is None or not isinstance(delta, dict):
            return ""
        kind = delta.get("type")
        if kind == "text_delta" and isinstance(part, Text):
            part.pieces.append(text_of(delta.get("text")))
            return part.pieces[-1]
        if kind == "citations_delta" and isinstance(part, Text):
            part.citations.append(delta.get("citation"))
        elif kind == "input_json_delta" and isinstance(part, Call | Sealed):
            part.pieces.append(text_of(delta.get("partial_json")))
        elif kind == "thinking_delta" and isinstance(part, Sealed):
            part.block["thinking"] = text_of(part.block.get("thinking")) + text_of(delta.get("thinking"))
        elif kind == "signature_delta" and isinstance(part, Sealed):
            part.block["signature"] = text_of(part.block.get("signature")) + text_of(delta.get("signature"))
        return ""


def _said(error):
    if not isinstance(error, dict):
        return "no reason was given"
    return " ".join(text_of(error.get(f)) for f in ("type", "message") if text_of(error.get(f))) or "no reason was given"
