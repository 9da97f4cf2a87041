// STR-1 against pairs of traces told by hand.
import { describe, expect, it } from 'vitest'
import { markOf } from '../../contract/index.ts'
import { type Teller, tell } from '../../contract/tell.ts'
import { chunksRule } from './chunks.ts'
import { seen } from './told.fixture.ts'

interface Ways {
  ids?: [string, string]
  execs?: [string, string]
  swapped?: boolean
  text?: string
  input?: string
  note?: string
  sights?: boolean
}
/** One life of a host that runs two calls; `ways` are what may differ. */
function life(ways: Ways = {}): Teller {
  const { ids = ['c1', 'c2'], execs = ['x1', 'x2'], text = 'Größe', input = '{"n":1}', note = 'noted' } = ways
  const t = tell('openai-chat', ways.sights === false ? { sights: ['calls', 'requests'] } : {})
    .turn()
    .request()
    .answer([
      { id: 'c1', text: '{"n":1}' },
      { id: 'c2', text: '{"n":2}' },
    ])
  t.says({ k: 'text', text: text.slice(0, 2) }).says({ k: 'text', text: text.slice(2) })
  const runs = [() => t.ran(execs[0], input, { callId: 'c1' }), () => t.ran(execs[1], '{"n":2}', { callId: 'c2' })]
  for (const run of ways.swapped ? runs.reverse() : runs) run()
  return t
    .request([
      { call: ids[0], name: 'take_note', args: '{"n":1}' },
      { call: ids[1], name: 'take_note', args: '{"n":2}' },
      { resultOf: ids[0], text: `${note} ${markOf(execs[0])}`, error: null },
      { resultOf: ids[1], text: `noted ${markOf(execs[1])}`, error: null },
    ])
    .answer([])
    .end()
}
const pair = (other: Teller) => seen(chunksRule, [life().trace(), other.trace()])

describe('STR-1', () => {
  it('holds for equal lives, with ids renamed, executions counted and ordered otherwise', () => {
    expect(pair(life())).toBe('')
    expect(pair(life({ ids: ['call_new1', 'call_new2'] }))).toBe('')
    expect(pair(life({ execs: ['x2', 'x1'], swapped: true }))).toBe('')
    expect(pair(life({ input: '{ "n": 1 }' }))).toBe('')
  })
  it('finds another text, another input, another result', () => {
    expect(pair(life({ text: 'Gr\uFFFD\uFFFDße' }))).toContain('Gr\uFFFD\uFFFDße')
    expect(pair(life({ input: '{"n":3}' }))).toContain('take_note ran with {\\"n\\":3}')
    expect(pair(life({ note: 'gone' }))).toContain('gone')
  })
  it('finds a call that was lost, a turn that ended otherwise, and a round too few', () => {
    const lost = tell('openai-chat')
      .turn()
      .request()
      .answer(
        [
          { id: 'c1', text: '{"n":1}' },
          { id: 'c2', text: '{"n":2}' },
        ],
        { upTo: 40 },
      )
      .end('error', 'cannot decode')
    expect(pair(lost)).toMatch(/nothing.*"1".*"error"|nothing.*"error"/s)
  })
  it('compares text only where it is seen', () => {
    expect(seen(chunksRule, [life({ sights: false }).trace(), life({ text: 'other', sights: false }).trace()])).toBe('')
  })
  it('is not reached by one variant, nor by a stream that nobody read', () => {
    expect(seen(chunksRule, life().trace())).toContain('not reached')
    const untouched = tell('openai-chat').turn().request().answer([], { upTo: 0 }).end()
    expect(pair(untouched)).toContain('not reached')
  })
})
