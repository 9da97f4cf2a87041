"""The openai-responses dialect: requests out, events in. Nothing is kept by the provider: each request holds the whole conversation,
and reasoning goes back sealed. Items are kept as JSON text, so what was sent once never changes."""

import json

from answer import Answer, Broken, Call, Sealed, Text, event_json, text_of

PATH = "/responses"
_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}


def headers(key):
    return {"authorization": f"Bearer {key}"}


def tool(name, description, schema):
    return {"type": "function", "name": name, "description": description, "parameters": schema, "strict": False}


def body(tools, items):
    """The request's bytes. `items`: JSON texts, in order."""
    head = {"model": "model", "stream": True, "store": False, "include": ["reasoning.encrypted_content"]}
    return f'{json.dumps({**head, **({"tools": tools} if tools else {})})[:-1]}, "input": [{", ".join(items)}]}}'.encode(
        "ascii"
    )


def user(text):
    return json.dumps({"role": "user", "content": text})


def assistant(answer, done, last=False):
    """The answer's items as they go back, or None where nothing is left of it."""
    waiting = iter(done)
    items = []
    for part in answer.parts:
        if isinstance(part, Call):
            items.append(_call(next(waiting)))
        elif isinstance(part, Text):
            if part.text:
                items.append({"role": "assistant", "content": part.text})
        elif part.block.get("type") != "reasoning" or part.block.get("encrypted_content"):
            items.append(part.block)
    # Reasoning that led to nothing is not taken back.
    while items and items[-1].get("type") == "reasoning":
        items.pop()
    return ", ".join(json.dumps(item) for item in items) or None


def results(done):
    """The items that answer the calls. This dialect has no mark for errors, so their text says it."""
    return [
        json.dumps(
            {
                "type": "custom_tool_call_output" if d.custom else "function_call_output",
                "call_id": d.id,
                "output": f"Error: {d.text}" if d.error else d.text,
            }
        )
        for d in done
    ]


def _call(done):
    kind = "custom_tool_call" if done.custom else "function_call"
    return {"type": kind, "call_id": done.id, "name": done.name, _CALLS[kind]: done.input}


class Reader:
    """Takes one answer's events. `take` gives the text the user may see now; what is known so far stands in `answer`.

    Places are told by `output_index`: some providers change the ids of items from event to event.
    """

    def __init__(self):
        self.answer = Answer()
        self.over = False
        self._at = {}
        self._last = None

    def take(self, kind, data):
        """The text to show, and whether this was progress. Raises Broken."""
        if kind not in ("", "message", "error") and not kind.startswith("response."):
            return "", False
        if data.strip() == "[DONE]":
            return "", False
        event = event_json(data)
        kind = event.get("type") or kind
        if kind == "error" or kind == "response.failed":
            raise Broken(f"the model's server reported an error: {_said(event)}")
        if kind == "response.output_item.added":
            self._item(event)
        elif kind == "response.output_item.done":
            return self._item_done(event), True
        elif kind in ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta"):
            part = self._part(event)
            if isinstance(part, Call):
                part.pieces.append(text_of(event.get("delta")))
        elif kind in ("response.function_call_arguments.done", "response.custom_tool_call_input.done"):
            self._whole(self._part(event), text_of(event.get("arguments")) or text_of(event.get("input")))
        elif kind in ("response.output_text.delta", "response.refusal.delta"):
            return self._text(event), True
        elif kind in ("response.completed", "response.incomplete"):
            self._close(kind, event)
        return "", True

    def _close(self, kind, event):
        response = event.get("response")
        details = response.get("incomplete_details") if isinstance(response, dict) else None
        said = text_of(details.get("reason")) if isinstance(details, dict) else ""
        # A completed response names no reason; that is the ordinary one.
        self.answer.reason = "stop" if kind == "response.completed" else said or "incomplete"
        self.answer.complete = self.over = True

    def _part(self, event):
        index = event.get("output_index")
        return self._at.get(index) if isinstance(index, int) else self._last

    def _keep(self, event, part):
        self.answer.parts.append(part)
        self._last = part
        if isinstance(event.get("output_index"), int):
            self._at[event["output_index"]] = part
        return part

    def _item(self, event):
        """The part for the item of this event; begun where there is none."""
        item = event.get("item")
        if not isinstance(item, dict):
            raise Broken("the model sent an item that is no object")
        before, kind = self._part(event), item.get("type")
        if kind in _CALLS:
            this, name = text_of(item.get("call_id")), text_of(item.get("name"))
            another = isinstance(before, Call) and this and name and before.id and this != before.id
            call = before if isinstance(before, Call) and not another else self._keep(event, Call())
            call.custom = kind == "custom_tool_call"
            call.id, call.name = call.id or this, call.name or name
            call.carried = call.carried or text_of(item.get(_CALLS[kind]))
            return call
        if kind == "message":
            return before if isinstance(before, Text) else self._keep(event, Text())
        if isinstance(before, Sealed):
            before.block = item
            return before
        return self._keep(event, Sealed(item))

    def _item_done(self, event):
        part = self._item(event)
        item = event["item"]
        if isinstance(part, Call):
            self._whole(part, text_of(item.get(_CALLS[item["type"]])))
        if isinstance(part, Text) and not part.text:
            # Whoever sends no deltas sends the text here.
            contents = [c for c in item.get("content") or [] if isinstance(c, dict)]
            part.pieces.append("".join(text_of(c.get("text")) or text_of(c.get("refusal")) for c in contents))
            return part.pieces[-1]
        return ""

    def _whole(self, part, text):
        if isinstance(part, Call) and not part.pieces:
            part.carried = text

    def _text(self, event):
        part = self._part(event)
        if not isinstance(part, Text):
            part = self._keep(event, Text())
        part.pieces.append(text_of(event.get("delta")))
        return part.pieces[-1]


def _said(event):
    response = event.get("response")
    error = response.get("error") if isinstance(response, dict) else event.get("error") or event
    return (text_of(error.get("message")) if isinstance(error, dict) else "") or "no reason was given"
