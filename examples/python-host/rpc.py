"""JSON-RPC 2.0 over standard input and output, one message a line, both directions at once.

It carries and never judges. Notifications are handled at once and in order; every request runs in a task of its own.
"""

import asyncio
import json
import sys


class RemoteError(Exception):
    """The suite answered a request with an error."""


class Pipe:
    def __init__(self, requests, notifications):
        """`requests`: method to coroutine function of params. `notifications`: method to plain function of params."""
        self._requests = requests
        self._notifications = notifications
        self._open = {}
        self._running = {}
        self._begun = set()
        self._last_id = 0
        self._out = sys.stdout.buffer
        self.closed = asyncio.Event()

    def notify(self, method, params):
        self._send({"method": method, "params": params})

    async def request(self, method, params, keep=False):
        """The result. Raises RemoteError; cancelling the caller sends `$/cancel` and drops whatever is answered later.

        `keep`: an answer that was here before the caller heard of its cancelling is given all the same; the caller looks at
        `asyncio.current_task().cancelling()`.
        """
        self._last_id += 1
        this = self._last_id
        answer = asyncio.get_running_loop().create_future()
        self._open[this] = answer
        self._send({"id": this, "method": method, "params": params})
        try:
            return await answer
        except asyncio.CancelledError:
            if answer.done() and not answer.cancelled():
                if keep:
                    return answer.result()
            else:
                self.notify("$/cancel", {"id": this})
            raise

    async def serve(self):
        """Reads until standard input ends or `closed` is set."""
        await asyncio.get_running_loop().connect_read_pipe(lambda: _Lines(self._receive, self.closed.set), sys.stdin)
        await self.closed.wait()

    def _send(self, message):
        # ASCII with escapes: a lone surrogate of the model's crosses the pipe as it is.
        self._out.write(json.dumps({"jsonrpc": "2.0", **message}).encode("ascii") + b"\n")
        self._out.flush()

    def _receive(self, line):
        if not line.strip():
            return
        message = json.loads(line)
        method, this = message.get("method"), message.get("id")
        if method is None:
            self._answered(this, message)
        elif method == "$/cancel":
            self._cancel(message["params"]["id"])
        elif this is None:
            handler = self._notifications.get(method)
            if handler:
                handler(message.get("params"))
        else:
            self._running[this] = asyncio.create_task(self._serve_one(this, method, message.get("params")))

    def _cancel(self, this):
        task = self._running.get(this)
        if this in self._begun:
            task.cancel()
        elif task:
            # It must begin first, or nothing would answer its request.
            asyncio.get_running_loop().call_soon(task.cancel)

    def _answered(self, this, message):
        answer = self._open.pop(this, None)
        if answer is None or answer.done():
            return
        if "error" in message:
            answer.set_exception(RemoteError(message["error"].get("message", "no message")))
        else:
            answer.set_result(message.get("result"))

    async def _serve_one(self, this, method, params):
        self._begun.add(this)
        try:
            handler = self._requests.get(method)
            if handler is None:
                self._send({"id": this, "error": {"code": -32601, "message": f"There is no method {method[:60]}."}})
            else:
                self._send({"id": this, "result": await handler(params)})
        except asyncio.CancelledError:
            self._send({"id": this, "error": {"code": -32800, "message": "cancelled"}})
        except Exception as error:  # One request that fails must not end the process and its other sessions.
            self._send({"id": this, "error": {"code": -32000, "message": f"{type(error).__name__}: {error}"}})
        finally:
            self._running.pop(this, None)
            self._begun.discard(this)


class _Lines(asyncio.Protocol):
    """Bytes in, whole lines out. A line may be many megabytes, so its parts are joined once."""

    def __init__(self, on_line, on_end):
        self._on_line = on_line
        self._on_end = on_end
        self._parts = []

    def data_received(self, data):
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._parts.append(line)
            whole = b"".join(self._parts)
            self._parts = []
            self._on_line(whole)
        if rest:
            self._parts.append(rest)

    def connection_lost(self, error):
        self._on_end()
