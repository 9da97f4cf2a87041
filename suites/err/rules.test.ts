// ERR-1 against error results told by hand.
import { describe, expect, it } from 'vitest'
import { type Case, read } from '../../contract/index.ts'
import { tell, toldFacts } from '../../contract/tell.ts'
import { err1 } from './index.ts'

interface Told {
  name?: string
  text?: string
  reason?: string
  shown?: string
}
function says(
  result: string,
  { name = 'take_note', text = '{"n":', reason = 'tool_use', shown = name }: Told = {},
): string {
  const known = name === 'take_note'
  const t = tell()
    .turn()
    .request()
    .answer([{ id: 'a', name, text, ...(known ? {} : { tool: undefined as unknown as string }) }], { reason })
    .request([
      { call: 'a', name: shown, args: '{}' },
      { resultOf: 'a', text: result, error: true },
    ])
    .answer([])
    .end()
  const j = err1.judge([read(t.trace())], err1.examples(toldFacts())[0] as Case, toldFacts())
  return j.is === 'broken' ? j.findings.map((f) => f.observed).join(' | ') : j.is
}
const unknown = { name: 'Writ', text: '{}' }

describe('ERR-1', () => {
  it.each([
    ['There is no tool named "Writ". Did you mean: write?', unknown],
    ['Writ: unknown tool; available: take_note', unknown],
    ["Tool 'Writ' does not exist, use take_note", unknown],
    ['The arguments of take_note are not valid JSON: send the whole call again', {}],
    ['take_note: input could not be parsed, please provide an object', {}],
    ['take_note was cut off by the output limit; call it again', { reason: 'length' }],
  ] as [string, Told][])('takes %j', (result, over) => expect(says(result, over)).toBe('held'))

  it.each([
    ['There is no such tool. Use take_note.', unknown, 'does not name the tool'],
    ['Error: take_note. Try again.', {}, 'does not say the reason'],
    ['take_note: SyntaxError in JSON', {}, 'does not say what to send next'],
    ['take_note: invalid JSON, send it again\n    at parse (/app/loop.js:1:2)', {}, 'insides'],
    ['take_note: invalid JSON [object Object], send it again', {}, 'insides'],
    [
      'Writ: the tool invalid does not exist, use take_note',
      { ...unknown, shown: 'invalid' },
      'a name that is the host’s own',
    ],
  ] as [string, Told, string][])('finds %j', (result, over, fault) => expect(says(result, over)).toContain(fault))

  it('takes the name that a strict server makes a host show', () =>
    expect(says('Unknown tool a/b (a_b), use take_note', { name: 'a/b', text: '{}', shown: 'a_b' })).toBe('held'))
  it('is not reached by a call whose refusal the call itself does not explain', () =>
    expect(says('whatever', { text: '{"n":1}' })).toBe('not-reached'))
})
