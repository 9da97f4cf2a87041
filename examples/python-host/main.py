"""A host over stdio: `slotproof run -- python3 examples/python-host/main.py`.

Written from docs/protocol.md and the contract, with the standard library alone. It opens sessions and passes messages on.
"""

import asyncio
import sys

from loop import DIALECTS, FIGURES, Session
from rpc import Pipe
from transport import Sockets, Tunnel

FACTS = {
    "protocol": 1,
    "name": "python-host",
    "version": "1.0.0",
    "profiles": ["core"],
    "dialects": list(DIALECTS),
    "features": ["repair", "names", "cancel"],
    "sights": ["calls", "requests", "text", "notices"],
    "figures": FIGURES,
    "roles": {},
    "can": {"turns": 1000, "sessions": 1_000_000, "parallel": 8, "restart": False, "resume": False, "tunnel": True},
}


async def main():
    sessions = {}

    async def describe(params):
        return FACTS

    async def open_session(params):
        setup = params["setup"]
        session = Session(setup, pipe, tunnel if params["tunnel"] else sockets)
        sessions[setup["session"]] = session
        return {"inForce": session.in_force}

    async def turn(params):
        return await sessions[params["session"]].turn(params["user"])

    async def close(params):
        sessions.pop(params["session"], None)

    pipe = Pipe(
        {"describe": describe, "open": open_session, "turn": turn, "close": close},
        {
            # Nothing here asks for approval, so a reply answers nothing.
            "reply": lambda params: None,
            "model/chunk": lambda params: tunnel.chunk(params),
            "model/end": lambda params: tunnel.end(params),
            "exit": lambda params: pipe.closed.set(),
        },
    )
    tunnel, sockets = Tunnel(pipe), Sockets()
    await pipe.serve()


if __name__ == "__main__":
    # Events of the model's may be nested deeper than the parser's default allows.
    sys.setrecursionlimit(5000)
    asyncio.run(main())
