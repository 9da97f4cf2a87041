"""Argument text to what a tool may be given: strict JSON, or the five steps that mend it.

Nothing is guessed at, nothing recurses, and every pass over the text or its tokens is linear. Texts stay texts: what was strict
reaches the tool as the model wrote it.
"""

import json
import re

REPAIR_MAX = 1_048_576
"""UTF-8 bytes beyond which nothing is mended."""

_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
_ESCAPE = r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})'
# A string's raw control characters are part of its token here; whether they may stay is asked afterwards. An escape that is
# none, a raw control character inside an escape among them, makes no token, and no step could mend it.
_TOKEN = re.compile(
    rf'[ \t\n\r]++|([{{}}\[\],:]|"[^"\\]*+(?:{_ESCAPE}[^"\\]*+)*+"|{_NUMBER}|true|false|null)|(.)', re.DOTALL
)
_CONTROL = re.compile(r"[\x00-\x1f]")
_KEPT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_BLANK = " \t\n\r"
_CLOSER = {"{": "}", "[": "]"}
_FENCE = re.compile(r"\s*```[A-Za-z0-9_-]*[ \t]*\r?\n(.*?)\r?\n?```\s*\Z", re.DOTALL)


class Unreadable(Exception):
    """The text is no arguments, and cannot be made any. The message says why."""


def is_blank(text):
    return text.strip(_BLANK) == ""


def strict(text):
    """The text of a strict JSON object, without a leading BOM. Raises Unreadable."""
    text = text.removeprefix("\ufeff")
    tokens = _tokens(text)
    _raise_unless_object(tokens)
    for token in tokens:
        if token[0] == '"' and _CONTROL.search(token):
            raise Unreadable("a string holds a raw control character")
    return text


def mend(text):
    """The strict text, or the one that the ladder makes of it. Raises Unreadable where the call falls back."""
    size = len(text.encode("utf-8", "surrogatepass"))
    try:
        return strict(text)
    except Unreadable as error:
        if size > REPAIR_MAX:
            raise Unreadable(f"{error}, and beyond {REPAIR_MAX} bytes nothing is mended") from None
    raw = _tokens(text.removeprefix("\ufeff"))
    tokens = [_without_controls(t) if t[0] == '"' else t for t in raw]
    dropped = any(len(_decoded(a)) != len(_decoded(b)) for a, b in zip(raw, tokens) if a is not b)
    for step in (_as_it_is, _drop_commas, _close, _drop_strays):
        tokens = step(tokens)
        try:
            _raise_unless_object(tokens)
            break
        except Unreadable as error:
            fault = error
    else:
        raise fault
    if step is _drop_strays:
        _raise_if_moved(raw)
    _raise_unless_said(raw, tokens)
    if dropped:
        _raise_if_keys_merged(raw, tokens)
    return "".join(tokens)


def arguments(text):
    """What a tool may be given for this text, in a round that leaves the ladder open. Raises Unreadable."""
    try:
        return mend(text)
    except Unreadable as error:
        inner = _unwrapped(text)
        if inner is None:
            raise
        try:
            return strict(inner)
        except Unreadable:
            raise error from None


def _unwrapped(text):
    """The text inside a JSON string or a single fence, where the whole text is one."""
    tokens = None
    try:
        tokens = _tokens(text)
    except Unreadable:
        fence = _FENCE.match(text)
        return fence[1] if fence else None
    if len(tokens) == 1 and tokens[0][0] == '"' and not _CONTROL.search(tokens[0]):
        return json.loads(tokens[0])
    return None


def _tokens(text):
    found = []
    for match in _TOKEN.finditer(text):
        which = match.lastindex
        if which == 1:
            found.append(match[1])
        elif which == 2:
            where = match.start()
            raise Unreadable(f"{text[where : where + 12]!r} at character {where} begins no JSON token")
    return found


def _raise_unless_object(tokens):
    """The grammar, with a stack of its own: depth is no limit."""
    if not tokens:
        raise Unreadable("there is no value")
    if tokens[0] != "{":
        raise Unreadable("the value is not an object")
    stack = []
    # What may come next: v value, k key, K key or }, V value or ], : colon, e comma or closer, . nothing
    want = "v"
    for token in tokens:
        kind = token[0]
        if want == ".":
            raise Unreadable(f"after the value comes {token[:20]!r}")
        if kind in "{[":
            if want not in "vV":
                raise Unreadable(f"{kind!r} stands where it may not")
            stack.append(_CLOSER[kind])
            want = "K" if kind == "{" else "V"
            continue
        if kind in "}]":
            if not stack or stack[-1] != kind or want not in ("e", "K" if kind == "}" else "V"):
                raise Unreadable(f"{kind!r} closes nothing, or too early")
            stack.pop()
        elif kind == ",":
            if want != "e":
                raise Unreadable("a comma stands where it may not")
            want = "k" if stack[-1] == "}" else "v"
            continue
        elif kind == ":":
            if want != ":":
                raise Unreadable("a colon stands where it may not")
            want = "v"
            continue
        elif want in "kK":
            if kind != '"':
                raise Unreadable(f"{token[:20]!r} stands where a key should")
            want = ":"
            continue
        elif want not in "vV":
            raise Unreadable(f"{token[:20]!r} stands where it may not")
        want = "e" if stack else "."
    if stack:
        raise Unreadable(f"{len(stack)} brackets are open at the end")


def _without_controls(token):
    """Step 2: TAB, LF and CR become their escapes, other control characters go."""
    if not _CONTROL.search(token):
        return token
    return _CONTROL.sub(lambda m: _KEPT.get(m[0], ""), token)


def _as_it_is(tokens):
    return tokens


def _drop_commas(tokens):
    """Step 3: every comma before a closer or the end, other commas between or not."""
    kept = []
    dropping = True
    for token in reversed(tokens):
        if token == "," and dropping:
            continue
        dropping = token in ("}", "]")
        kept.append(token)
    kept.reverse()
    return kept


def _close(tokens):
    """Step 4: what is open is closed, innermost first."""
    return tokens + _scan(tokens)[0]


def _drop_strays(tokens):
    """Step 5: closers that match nothing go."""
    _, strays = _scan(tokens)
    return [token for at, token in enumerate(tokens) if at not in strays]


def _scan(tokens):
    """The closers that are missing at the end, and the places of those that match nothing."""
    stack, strays = [], set()
    for at, token in enumerate(tokens):
        if token in _CLOSER:
            stack.append(_CLOSER[token])
        elif token in ("}", "]"):
            if stack and stack[-1] == token:
                stack.pop()
            else:
                strays.add(at)
    return stack[::-1], strays


def _raise_if_moved(tokens):
    """Steps 4 and 5 both acted: whatever was said after the first stray closer might belong elsewhere."""
    missing, strays = _scan(tokens)
    if missing and any(token[0] not in "{}[],:" for token in tokens[min(strays) :]):
        raise Unreadable("brackets are missing and others too many")


def _decoded(token):
    return json.loads(token, strict=False)


def _raise_unless_said(raw, tokens):
    """An empty object counts only where the text had one."""
    if len(tokens) == 2 and not any(a == "{" and b == "}" for a, b in zip(raw, raw[1:])):
        raise Unreadable("nothing was said inside the brackets")


def _raise_if_keys_merged(raw, tokens):
    """Keys of one object that were two before characters were dropped, and would be one after."""
    # Steps 3 to 5 touch no string, so the n-th string of the result is the n-th of the text.
    before = iter([token for token in raw if token[0] == '"'])
    stack = []
    for at, token in enumerate(tokens):
        if token in _CLOSER:
            stack.append({})
        elif token in ("}", "]"):
            stack.pop()
        elif token[0] == '"':
            was = _decoded(next(before))
            if tokens[at + 1] == ":" and stack[-1].setdefault(_decoded(token), was) != was:
                raise Unreadable("two keys would become one")
