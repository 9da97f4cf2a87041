"""The openai-chat dialect: requests out, chunks in. Messages are kept as JSON text, so what was sent once never changes."""

import json

from answer import Answer, Broken, Call, Text, event_json, text_of

PATH = "/chat/completions"
_KNOWN = {"", "message", "error"}
# The place of the one call that the older `function_call` field can hold.
_OLD_CALL = -1


def headers(key):
    return {"authorization": f"Bearer {key}"}


def tool(name, description, schema):
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def body(tools, messages):
    """The request's bytes. `messages`: JSON texts, in order."""
    head = {"model": "model", "stream": True, **({"tools": tools} if tools else {})}
    return f'{json.dumps(head)[:-1]}, "messages": [{", ".join(messages)}]}}'.encode("ascii")


def user(text):
    return json.dumps({"role": "user", "content": text})


def assistant(answer, done, last=False):
    """The answer as it goes back, or None where nothing is left of it."""
    text = "".join(part.text for part in answer.parts if isinstance(part, Text))
    if not done:
        return json.dumps({"role": "assistant", "content": text}) if text else None
    return json.dumps({"role": "assistant", "content": text or None, "tool_calls": [_call(d) for d in done]})


def results(done):
    """The messages that answer the calls. This dialect has no mark for errors, so their text says it."""
    return [
        json.dumps({"role": "tool", "tool_call_id": d.id, "content": f"Error: {d.text}" if d.error else d.text})
        for d in done
    ]


def _call(done):
    if done.custom:
        return {"id": done.id, "type": "custom", "custom": {"name": done.name, "input": done.input}}
    return {"id": done.id, "type": "function", "function": {"name": done.name, "arguments": done.input}}


class Reader:
    """Takes one answer's chunks. `take` gives the text the user may see now; what is known so far stands in `answer`."""

    def __init__(self):
        self.answer = Answer()
        self.over = False
        self._text = None
        self._at = {}
        self._by_id = {}
        self._last = None

    def take(self, kind, data):
        """The text to show, and whether this was progress. Raises Broken."""
        if kind not in _KNOWN:
            return "", False
        if data.strip() == "[DONE]":
            self.answer.complete = self.over = True
            return "", True
        chunk = event_json(data)
        if kind == "error" or chunk.get("error"):
            raise Broken(f"the model's server reported an error: {_said(chunk.get('error'))}")
        shown = ""
        for choice in chunk.get("choices") or []:
            if isinstance(choice, dict) and not choice.get("index"):
                shown += self._choice(choice)
        return shown, True

    def _choice(self, choice):
        delta = choice.get("delta")
        shown = ""
        if isinstance(delta, dict):
            shown = text_of(delta.get("content")) + text_of(delta.get("refusal"))
            if shown:
                self._show(shown)
            for entry in delta.get("tool_calls") or []:
                if isinstance(entry, dict):
                    self._fragment(entry)
            if isinstance(delta.get("function_call"), dict):
                self._fragment({"index": _OLD_CALL, "function": delta["function_call"]})
        reason = text_of(choice.get("finish_reason"))
        if reason:
            self.answer.reason = reason
            self.answer.complete = True
        return shown

    def _show(self, text):
        if self._text is None:
            self._text = Text()
            self.answer.parts.append(self._text)
        self._text.pieces.append(text)

    def _fragment(self, entry):
        custom = entry.get("type") == "custom" or isinstance(entry.get("custom"), dict)
        part = entry.get("custom" if custom else "function")
        part = part if isinstance(part, dict) else {}
        index, this, name = entry.get("index"), text_of(entry.get("id")), text_of(part.get("name"))
        call = self._find(index, this, name)
        if call is None:
            call = Call(custom=custom)
            self.answer.parts.append(call)
        if isinstance(index, int):
            self._at[index] = call
        if this:
            self._by_id.setdefault(this, call)
        self._last = call
        call.id = call.id or this
        call.name = call.name or name
        call.pieces.append(text_of(part.get("input" if custom else "arguments")))

    def _find(self, index, this, name):
        """The call that a fragment continues; None where it begins one."""
        if isinstance(index, int):
            call = self._at.get(index)
            # A used index with another id and a name is another call.
            return None if call and this and name and call.id and this != call.id else call
        if this:
            return self._by_id.get(this)
        # Nothing says whose it is: the last call's, unless it names a tool and that one has its name.
        return None if self._last and name and self._last.name else self._last


def _said(error):
    if isinstance(error, dict):
        return text_of(error.get("message")) or "no reason was given"
    return text_of(error) or "no reason was given"
