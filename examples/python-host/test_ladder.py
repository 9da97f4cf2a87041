"""The ladder against the project's own vectors: `python3 -m unittest` in this folder."""

import json
import pathlib
import unittest

import ladder

VECTORS = pathlib.Path(__file__).parents[2] / "fixtures" / "vectors" / "arguments.jsonl"


def made(text):
    """A text, or the generator form of a long one."""
    if isinstance(text, str):
        return text
    parts = [part if isinstance(part, list) else [part, 1] for part in text["repeat"]]
    return "".join(piece * times for piece, times in parts)


class Ladder(unittest.TestCase):
    def test_vectors(self):
        lines = VECTORS.read_text("utf-8").splitlines()
        self.assertGreater(len(lines), 100)
        for line in lines:
            vector = json.loads(line)
            want = made(vector["want"])
            with self.subTest(vector["why"], text=str(vector["in"])[:80]):
                try:
                    got = ladder.mend(made(vector["in"]))
                except ladder.Unreadable:
                    got = "fallback"
                self.assert_equal_texts(got, want)

    def assert_equal_texts(self, got, want):
        if "fallback" in (got, want) or got == want:
            self.assertEqual(got[:200], want[:200])
            return
        try:
            self.assertEqual(json.loads(got), json.loads(want))
        except RecursionError:
            # Deeper than the standard parser goes: equal texts, white space aside.
            self.assertEqual("".join(got.split()), "".join(want.split()))

    def test_mended_text_is_strict(self):
        mended = ladder.mend('{"a":[1,{"b":"x\ty"},')
        self.assertEqual(ladder.strict(mended), mended)

    def test_one_wrapping_is_taken_off(self):
        self.assertEqual(ladder.arguments('"{\\"a\\":1}"'), '{"a":1}')
        self.assertEqual(ladder.arguments('```json\n{"a":1}\n```'), '{"a":1}')
        for text in ('"{\\"a\\":1"', '"\\"{}\\""', "```\n{'a':1}\n```"):
            with self.assertRaises(ladder.Unreadable):
                ladder.arguments(text)

    def test_depth_is_no_limit(self):
        deep = '{"a":' * 50_000 + "1" + "}" * 50_000
        self.assertEqual(ladder.mend(deep[:-1]), deep)
        self.assertEqual(ladder.strict(deep), deep)


if __name__ == "__main__":
    unittest.main()
