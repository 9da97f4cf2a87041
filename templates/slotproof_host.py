"""A first host for slotproof, with a toy agent in it. The upper half is where your agent goes; the lower half stays.
Every line marked "slotproof: needed" is looked for: take it away, and `slotproof doctor` says what is missing."""

import contextlib, io, itertools, json, queue, re, sys, threading, urllib.request


# ---- Your agent goes here: these parameters, and turn(). This is a toy: streamed, one call after the other. ----
class Agent:
    cut_off = ("length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded")

    def __init__(self, base_url, api_key, tools, run, emit):
        self.base_url, self.api_key, self.run, self.emit, self.messages = base_url, api_key, run, emit, []
        # What no provider takes is not offered: an odd name, a name twice, a schema that is not of an object.
        named = [(t, json.loads(t["schema"])) for t in tools if re.fullmatch("[a-zA-Z0-9_-]{1,64}", t["name"])]
        self.tools = {t["name"]: t for t, root in named if isinstance(root, dict) and root.get("type") == "object"}

    def turn(self, user):
        """From a message of the user's to the end of the model's calls. Raises where an answer does not come whole."""
        self.messages.append({"role": "user", "content": user})
        for _ in range(20):
            text, calls, reason = self.ask()
            shown = [self.function(c["name"], id=c["id"], arguments=self.strict(c["text"]) or "{}") for c in calls]
            self.messages.append({"role": "assistant", "content": text, **({"tool_calls": shown} if calls else {})})
            if not calls:
                return "done"
            for call in calls:
                content = self.result(call, call is calls[-1], reason)
                self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
        self.emit(k="notice", text="The turn was stopped after 20 rounds.")
        return "guard"

    def result(self, call, last, reason):
        """What the model is told of a call: the tool's own text, or an error that names the tool."""
        error, args = f"Error: {call['name'][:100]} ", self.strict(call["text"])
        tool = self.tools.get(call["name"])
        if tool is None:
            return error + "is no tool here. Call one that is offered."
        if reason in ("content_filter", "refusal"):
            return error + f"was not run: the answer was stopped ({reason})."
        if args is None or reason in self.cut_off and last and call["text"] == "":
            return error + "was not run: no whole JSON object came (the output limit?). Send the whole call again."
        return self.run(tool["key"], args, call["wire"]) or error + "failed, or gave no output."

    def ask(self):
        about = [(t["name"], t["description"], json.loads(t["schema"])) for t in self.tools.values()]
        tools = [self.function(name, description=words, parameters=schema) for name, words, schema in about]
        body = {"model": "any", "stream": True, "messages": self.messages, **({"tools": tools} if tools else {})}
        headers = {"content-type": "application/json", "authorization": f"Bearer {self.api_key}"}
        request = urllib.request.Request(self.base_url + "/chat/completions", json.dumps(body).encode(), headers)
        text, calls, reason = "", [], ""
        for data in self.events(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)):
            chunk = json.loads(data) if data != "[DONE]" else {"choices": [{"finish_reason": reason or "stop"}]}
            if chunk.get("error"):
                raise RuntimeError(json.dumps(chunk["error"]))
            choice = next((c for c in chunk.get("choices") or [] if not c.get("index")), {})
            delta = choice.get("delta") or {}
            if delta.get("content"):
                self.emit(k="text", text=delta["content"])
                text += delta["content"]
            for part in delta.get("tool_calls") or []:
                self.add(calls, part.get("id") or "", part.get("index"), part.get("function") or {})
            reason = (choice.get("finish_reason") or "").strip().lower() or reason
        if not reason or reason == "tool_calls" and not calls:
            raise RuntimeError("the model's answer ended half-way, or without the calls it announced")
        return text, calls, reason

    def function(self, name, id=None, **more):
        return {**({"id": id} if id else {}), "type": "function", "function": {"name": name, **more}}

    def add(self, calls, wire, at, part):
        """An id with a name opens a call; anything else goes on with the call of its index, or with the last."""
        call = next((c for c in calls[::-1] if (wire in ("", c["wire"]) if at is None else c["at"] == at)), None)
        if not call or wire and call["wire"] and wire != call["wire"] and part.get("name"):
            call = {"id": f"call_{len(self.messages)}_{len(calls)}", "at": at, "wire": "", "name": "", "text": ""}
            calls.append(call)
        call["wire"] = call["wire"] or wire
        call["name"] = call["name"] or part.get("name") or ""
        call["text"] += part.get("arguments") or ""

    def strict(self, text):
        """The arguments where they are one JSON object, else None; no text at all is an empty object."""
        text = text.strip(" \t\r\n") or "{}"
        with contextlib.suppress(ValueError, RecursionError):
            return text if isinstance(json.loads(text, parse_constant=int), dict) else None  # int() refuses NaN

    def events(self, response):
        """The data of each event. Text mode reads bytes cut anywhere, and lines that end in LF, CR or CRLF."""
        data = []
        for line in io.TextIOWrapper(response, "utf-8-sig", "replace"):
            if line.startswith("data:"):
                data.append(line[5:].strip("\n").removeprefix(" "))
            elif line == "\n" and data:
                yield "\n".join(data)
                data = []


# ---- The adapter stays: it reads JSON-RPC, a message a line, and serves each request in a thread of its own. ----
FACTS = {
    "protocol": 1,  # slotproof: needed (the version of this interface)
    "name": "my-agent",  # slotproof: needed (stands in every report)
    "profiles": ["core"],  # slotproof: needed (what it is held to)
    "dialects": ["openai-chat"],  # slotproof: needed (how it speaks to a model)
    "sights": ["calls", "requests", "text", "notices"],  # slotproof: needed (what can be seen of it)
    "can": {"turns": 100, "sessions": 10000, "parallel": 8},
}
METHODS = {
    "describe": lambda p: FACTS,  # slotproof: needed (what the host says of itself)
    "open": lambda p: open_session(p["setup"]["session"], p["setup"]) or {},  # slotproof: needed (a session begins)
    "turn": lambda p: sessions[p["session"]].turn(p["user"]),  # slotproof: needed (a message of the user's)
    "close": lambda p: sessions.pop(p["session"]) and None,  # slotproof: needed (the session is over)
}
sessions, waiting, numbers, writing = {}, {}, itertools.count(1), threading.Lock()
pipe, sys.stdout = sys.stdout, sys.stderr  # what your agent prints must stay out of the pipe


def send(**message):
    with writing:
        print(json.dumps({"jsonrpc": "2.0", **message}), file=pipe, flush=True)


def execute(session, **call):
    waiting[number := next(numbers)] = answer = queue.SimpleQueue()
    send(id=number, method="execute", params={"session": session, "call": call})  # slotproof: needed (runs a call)
    return result.get("text") if isinstance(result := answer.get().get("result"), dict) else None


def open_session(name, setup):
    sessions[name] = Agent(
        base_url=setup["baseUrl"],  # slotproof: needed (where the model is)
        api_key=setup["apiKey"],
        tools=setup["tools"],  # slotproof: needed (what the model is offered)
        run=lambda key, args, id: execute(name, tool=key, input=args, callId=id),  # slotproof: needed (a call)
        emit=lambda **e: send(method="emit", params={"session": name, "event": e}),  # slotproof: needed (what is shown)
    )


def serve(message):
    try:
        answer = {"result": METHODS[message["method"]](message["params"])}
    except Exception as error:
        answer = {"error": {"code": -32000, "message": repr(error)}}
    send(id=message["id"], **answer)


for message in itertools.takewhile(lambda m: m.get("method") != "exit", map(json.loads, sys.stdin.buffer)):
    if "id" in message and "method" in message:
        threading.Thread(target=serve, args=[message], daemon=True).start()
    elif "id" in message:
        waiting.pop(message["id"]).put(message)
