"""One session: the turns of one conversation. Ask the model, run what it calls in the order of its calls, tell it what came of it."""

import asyncio
import email.utils
import re
import time

import anthropic
import chat
import ladder
import names
import responses
import tools as toolbox
from answer import ANNOUNCES_CALLS, STOPPED, Answer, Broken, Done, Text
from rpc import RemoteError
from sse import EventReader
from transport import TransportBroken

DIALECTS = {"anthropic-messages": anthropic, "openai-chat": chat, "openai-responses": responses}
FIGURES = {"asks": 4, "idleMs": 15_000, "repairMax": ladder.REPAIR_MAX}
"""Attempts at one round; ms without an event after which a stream is given up; bytes beyond which nothing is mended."""

MOST_ROUNDS = 100
MOST_REFUSED = 3
"""Rounds of a turn, and rounds running in which every call was refused."""

MOST_WAIT = 3
"""Seconds of Retry-After that are waited for; a server that wants more is not asked again."""

FIRST_WAIT = 0.02
AFTER_END = 0.5
"""Seconds left to a stream whose round is complete, for what may still belong to it."""

SLOW_TEXT = 50_000
"""Characters of arguments that are read beside the loop, so that other sessions go on."""

_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]")


class ModelFailed(Exception):
    """The round could not be had. The message is for the user."""


class Busy(Broken):
    """The server asks for some seconds before it is asked again."""

    def __init__(self, message, wait):
        super().__init__(message)
        self.wait = wait


class Refusal(Exception):
    """A call is not run. The message is its result; `cut`: because its round was cut off or stopped."""

    def __init__(self, message, cut=False):
        super().__init__(message)
        self.cut = cut


class Session:
    def __init__(self, setup, pipe, transport):
        self._name = setup["session"]
        self._pipe = pipe
        self._transport = transport
        self._dialect = DIALECTS[setup["dialect"]]
        self._url = setup["baseUrl"] + self._dialect.PATH
        self._headers = {
            "content-type": "application/json",
            "accept": "text/event-stream",
            **self._dialect.headers(setup["apiKey"]),
        }
        asked = setup.get("figures") or {}
        self.in_force = {name: asked.get(name, FIGURES[name]) for name in ("asks", "idleMs")}
        self.in_force["asks"] = max(1, int(self.in_force["asks"]))
        self._tools, self._left_out = toolbox.offered(setup["tools"])
        self._offers = [self._dialect.tool(t.name, t.description, t.schema) for t in self._tools.values()]
        self._messages = []
        self._calls = 0
        self._shown = ""

    async def turn(self, user):
        """How the turn ended. Whatever happens, the history it leaves is valid."""
        for sentence in self._left_out:
            self._emit("warning", sentence)
        self._left_out = []
        self._messages.append(self._dialect.user(user))
        self._shown = ""
        try:
            return await self._rounds()
        except ModelFailed as error:
            self._keep_shown()
            self._emit("notice", str(error))
            return "error"
        except asyncio.CancelledError:
            self._keep_shown()
            return "cancelled"

    async def _rounds(self):
        refused = 0
        for _ in range(MOST_ROUNDS):
            answer = await self._ask()
            if not answer.calls:
                if answer.reason == "pause_turn":
                    self._add(self._dialect.assistant(answer, [], last=True))
                    continue
                return self._finish(answer)
            done, cut = await self._run_calls(answer)
            if answer.reason in STOPPED:
                self._emit("notice", f"The model's answer was stopped ({answer.reason}); none of its calls was run.")
                return "error"
            refused = refused + 1 if cut == len(done) else 0
            if refused == MOST_REFUSED:
                self._emit("notice", f"Stopped: in {refused} rounds running every call was cut off.")
                return "guard"
        self._emit("notice", f"Stopped after {MOST_ROUNDS} rounds.")
        return "guard"

    def _finish(self, answer):
        self._add(self._dialect.assistant(answer, []))
        if answer.reason in ANNOUNCES_CALLS:
            self._emit("notice", "The model announced a call and sent none.")
            return "error"
        if answer.cut_off or answer.reason in STOPPED:
            self._emit("notice", f"The model's answer was stopped ({answer.reason}).")
        return "done"

    def _add(self, message):
        if message is not None:
            self._messages.append(message)

    def _keep_shown(self):
        """What the user saw of an answer that never became whole stays in the history, as text alone."""
        if self._shown:
            self._add(self._dialect.assistant(Answer([Text([self._shown])]), []))
        self._shown = ""

    # Asking

    async def _ask(self):
        """The next answer, complete. A stream that broke before anything of it was shown is asked for again, some times."""
        body = self._dialect.body(self._offers, self._messages)
        wait = FIRST_WAIT
        for attempt in range(1, self.in_force["asks"] + 1):
            try:
                answer = await self._attempt(body)
                self._shown = ""
                return answer
            except (Broken, TransportBroken) as error:
                if self._shown:
                    raise ModelFailed(f"The model's answer broke off: {error}.") from None
                fault = error
            if attempt < self.in_force["asks"]:
                await asyncio.sleep(max(wait, fault.wait if isinstance(fault, Busy) else 0))
                wait *= 2
        raise ModelFailed(f"The model could not be reached in {attempt} attempts; the last time {fault}.")

    async def _attempt(self, body):
        idle = self.in_force["idleMs"]
        try:
            async with asyncio.timeout(idle / 1000):
                response = await self._transport.post(self._name, self._url, self._headers, body)
        except TimeoutError:
            raise Broken(f"the model did not answer for {idle} ms") from None
        try:
            if response.status != 200:
                await self._refused(response)
            return await self._read(response)
        finally:
            response.close()

    async def _refused(self, response):
        said = f"it answered {response.status}: {(await response.text()).strip()[:300]}"
        if response.status != 429 and response.status < 500:
            raise ModelFailed(f"The model refused the request; {said}")
        wait = _seconds(response.headers.get("retry-after"))
        if wait > MOST_WAIT:
            raise ModelFailed(f"The model wants {wait:.0f} s before it is asked again; {said}")
        raise Busy(said, wait)

    async def _read(self, response):
        events, reader = EventReader(), self._dialect.Reader()
        idle = self.in_force["idleMs"] / 1000
        loop = asyncio.get_running_loop()
        deadline = loop.time() + idle
        held = ""
        try:
            while not reader.over:
                async with asyncio.timeout_at(deadline):
                    chunk = await response.read()
                if not chunk:
                    break
                for kind, data in events.feed(chunk):
                    text, progress = reader.take(kind, data)
                    held = self._show(held + text)
                    if progress:
                        deadline = loop.time() + idle
                    if reader.over:
                        break
                if reader.answer.complete:
                    deadline = min(deadline, loop.time() + AFTER_END)
        except (TransportBroken, Broken) as error:
            # After its last event a round is complete, however the connection ends.
            if not reader.answer.complete:
                raise error
        except TimeoutError:
            if not reader.answer.complete:
                raise Broken(f"the model said nothing for {self.in_force['idleMs']} ms") from None
        if not reader.answer.complete:
            raise Broken("the answer ended before it was complete")
        return reader.answer

    def _show(self, text):
        """Shows the text, but for half a character at its end, which is given back."""
        held = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        ready = Text([text.removesuffix(held)]).text
        if ready:
            self._shown += ready
            self._emit("text", ready)
        return held

    # Running

    async def _run_calls(self, answer):
        """What came of every call, in their order, and how many were refused for the round's sake. The history has them all."""
        done, cut = [], 0
        cancelling = asyncio.current_task().cancelling
        for place, call in enumerate(answer.calls):
            try:
                if cancelling():
                    raise asyncio.CancelledError
                result = await self._run(call, answer, place)
            except Refusal as refusal:
                cut += refusal.cut
                result = self._done(call, self._plain_input(call), str(refusal), True)
            except asyncio.CancelledError:
                result = self._done(call, "{}", f"{_quoted(call)} was not run: the user cancelled the turn.", True)
            done.append(result)
        self._add(self._dialect.assistant(answer, done))
        self._messages += self._dialect.results(done)
        if cancelling():
            raise asyncio.CancelledError
        return done, cut

    def _done(self, call, shown, text, error):
        self._calls += 1
        # Providers refuse illegal names in a history too.
        name = _ILLEGAL.sub("_", call.name)[:64] or "unnamed"
        shown = call.text if call.custom else shown
        return Done(f"call_{self._calls}", name, shown, text or "(the tool gave no text)", error, call.custom)

    def _plain_input(self, call):
        """How the history shows the arguments of a call that did not run: as the model wrote them, where that is JSON."""
        try:
            return ladder.strict(call.text)
        except ladder.Unreadable:
            return "{}"

    async def _run(self, call, answer, place):
        """The result. Raises Refusal."""
        if answer.reason in STOPPED:
            raise Refusal(f"{_quoted(call)} was not run: the answer was stopped ({answer.reason}).", cut=True)
        if call.custom:
            raise Refusal(f"{_quoted(call)} was not run: the tools here take JSON arguments, not free text.")
        last = place == len(answer.calls) - 1
        if answer.cut_off and last and ladder.is_blank(call.text):
            raise _cut_off(call)
        tool = self._tool(call)
        given = await self._input(call, answer, tool)
        request = {"tool": tool.key, "input": given}
        if call.id:
            request["callId"] = call.id
        try:
            outcome = await self._pipe.request("execute", {"session": self._name, "call": request}, keep=True)
        except RemoteError as error:
            return self._done(call, given, f"{_quoted(call)} failed: {error}", True)
        except asyncio.CancelledError:
            # It may have done something, so it is not called unrun; whatever it still answers is dropped.
            return self._done(call, given, f"{_quoted(call)} was stopped: the user cancelled the turn.", True)
        if not isinstance(outcome, dict) or not isinstance(outcome.get("text"), str):
            return self._done(call, given, f"{_quoted(call)} failed: it gave no result.", True)
        return self._done(call, given, outcome["text"], outcome.get("error") is True)

    def _tool(self, call):
        name = names.resolve(call.name, self._tools)
        if name is not None:
            return self._tools[name]
        near = names.near(call.name, self._tools)
        hint = f" Did you mean: {', '.join(near)}?" if near else f" There are: {', '.join(list(self._tools)[:20])}."
        raise Refusal(f"There is no tool {_quoted(call)}.{hint} Send the call again under one of these names.")

    async def _input(self, call, answer, tool):
        """The JSON text the tool is given. Raises Refusal."""
        text = call.text
        if ladder.is_blank(text):
            return "{}"
        try:
            return await _beside(ladder.arguments if answer.opens_ladder else ladder.strict, text)
        except ladder.Unreadable as error:
            if answer.cut_off:
                raise _cut_off(call) from None
            if answer.opens_ladder and not tool.takes_nothing:
                # The tool's own complaint about what it misses tells the model more than ours would.
                return "{}"
            raise Refusal(
                f"{_quoted(call)} was not run: its arguments are not a JSON object ({error}). Send the whole call again."
            ) from None

    def _emit(self, kind, text):
        self._pipe.notify("emit", {"session": self._name, "event": {"k": kind, "text": text}})


async def _beside(read, text):
    return await asyncio.to_thread(read, text) if len(text) > SLOW_TEXT else read(text)


def _quoted(call):
    """The name as the model wrote it, clipped where it is endless."""
    return f'"{call.name}"' if len(call.name) <= 100 else f'"{call.name[:100]}…" ({len(call.name)} characters)'


def _cut_off(call):
    return Refusal(
        f"{_quoted(call)} was not run: the answer reached the output limit before its arguments were whole."
        " Send the whole call again, shorter if need be.",
        cut=True,
    )


def _seconds(retry_after):
    """Seconds of a Retry-After header, in either of its forms; 0 where it says nothing."""
    if retry_after is None:
        return 0
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        # The date has whole seconds: one more is never too early.
        return max(0.0, email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time() + 1)
    except ValueError:
        return 0
