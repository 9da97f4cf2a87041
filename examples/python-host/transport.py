"""How the model's bytes arrive: over the suite's tunnel, or from a real HTTP server. Both give one Response.

Nothing here reads what the bytes say.
"""

import asyncio
import base64
import http.client
import socket
import threading
import urllib.parse


class TransportBroken(Exception):
    """The connection failed: refused, cut, reset."""


class Response:
    def __init__(self, status, headers, items, leave):
        """`items`: a queue of bytes, None for a clean end, or an exception. `leave`: tells the other side we stopped reading."""
        self.status = status
        self.headers = {name.lower(): value for name, value in headers.items()}
        self._items = items
        self._leave = leave
        self._over = False

    async def read(self):
        """The next bytes; b"" once the body has ended. Raises TransportBroken."""
        if self._over:
            return b""
        item = await self._items.get()
        if isinstance(item, bytes):
            return item
        self._over = True
        if item is None:
            return b""
        raise item

    async def text(self, most=2000):
        """The beginning of the body, as far as it comes, for an error message."""
        body = b""
        try:
            while len(body) < most and (part := await self.read()):
                body += part
        except TransportBroken:
            pass
        return body[:most].decode("utf-8", "replace")

    def close(self):
        if not self._over:
            self._over = True
            self._leave()


class Tunnel:
    """The model over the suite's own pipe: `model/open`, then `model/chunk` and `model/end`."""

    def __init__(self, pipe):
        self._pipe = pipe
        self._streams = {}
        self._count = 0

    def chunk(self, params):
        items = self._streams.get(params["stream"])
        if items:
            items.put_nowait(base64.b64decode(params["base64"]))

    def end(self, params):
        items = self._streams.pop(params["stream"], None)
        if items:
            how = params["how"]
            items.put_nowait(None if how == "clean" else TransportBroken(f"the connection was {how}"))

    async def post(self, session, url, headers, body):
        self._count += 1
        stream = f"m{self._count}"
        items = self._streams[stream] = asyncio.Queue()

        def leave():
            self._streams.pop(stream, None)
            self._pipe.notify("model/close", {"stream": stream})

        try:
            head = await self._pipe.request(
                "model/open",
                {
                    "session": session,
                    "stream": stream,
                    "method": "POST",
                    "url": url,
                    "headers": headers,
                    "base64": base64.b64encode(body).decode("ascii"),
                },
            )
        except asyncio.CancelledError:
            leave()
            raise
        return Response(head["status"], head["headers"], items, leave)


class Sockets:
    """The model over HTTP: a connection and a thread a request, since http.client waits where it reads."""

    async def post(self, session, url, headers, body):
        loop = asyncio.get_running_loop()
        head = loop.create_future()
        exchange = _Exchange(url, headers, body, loop, head)
        threading.Thread(target=exchange.run, daemon=True).start()
        try:
            status, answered = await head
        except asyncio.CancelledError:
            exchange.leave()
            raise
        return Response(status, answered, exchange.items, exchange.leave)


class _Exchange:
    def __init__(self, url, headers, body, loop, head):
        self._url = urllib.parse.urlsplit(url)
        self._headers = headers
        self._body = body
        self._loop = loop
        self._head = head
        self._socket = None
        self._left = False
        self.items = asyncio.Queue()

    def leave(self):
        """From the loop: ends a read that waits in the thread."""
        self._left = True
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # Already closed by the other side.

    def run(self):
        connection = http.client.HTTPConnection(self._url.hostname, self._url.port, timeout=10)
        try:
            connection.connect()
            # Kept here, for http.client lets go of it when the answer says it will close.
            self._socket = connection.sock
            self._socket.settimeout(None)
            if self._left:
                return
            target = self._url.path + (f"?{self._url.query}" if self._url.query else "")
            connection.request("POST", target, self._body, {**self._headers, "connection": "close"})
            answer = connection.getresponse()
            self._tell(self._answered, answer.status, dict(answer.getheaders()))
            while part := answer.read1(65536):
                self._tell(self.items.put_nowait, part)
            self._tell(self.items.put_nowait, None)
        except (OSError, http.client.HTTPException) as error:
            self._tell(self._failed, TransportBroken(f"the connection failed ({type(error).__name__})"))
        finally:
            connection.close()

    def _tell(self, what, *values):
        try:
            self._loop.call_soon_threadsafe(what, *values)
        except RuntimeError:
            pass  # The loop is closed: the process is ending.

    def _answered(self, status, headers):
        if not self._head.done():
            self._head.set_result((status, headers))

    def _failed(self, error):
        if self._head.done():
            self.items.put_nowait(error)
        else:
            self._head.set_exception(error)
