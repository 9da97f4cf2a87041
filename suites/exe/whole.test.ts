// EXE-8 against traces told by hand.
import { describe, expect, it } from 'vitest'
import { markOf, type Outcome } from '../../contract/index.ts'
import { tell } from '../../contract/tell.ts'
import { answer, call, example, oneTurn, round } from '../build.ts'
import { judge, seen, shown } from './testing.ts'
import { exe8, holds } from './whole.ts'

const odd = 'a "b" \\ \n\t ä 🙂 \u0001'

describe('holds', () => {
  it.each([
    ['as it is', `before ${odd} after`],
    ['as one JSON string', JSON.stringify(`${odd} mark`)],
    ['in a JSON object', JSON.stringify({ type: 'text', text: odd })],
    ['escaped for ASCII', JSON.stringify(odd).replace('ä', '\\u00e4').replace('🙂', '\\ud83d\\ude42')],
    ['after a prefix with a lone quote', `the 27" screen says: ${JSON.stringify(odd)}`],
  ])('a text %s', (_, dressed) => expect(holds(dressed, odd)).toBe(true))
  it('not what is encoded twice, trimmed, or lacks a character', () => {
    expect(holds(JSON.stringify(JSON.stringify(odd)), odd)).toBe(false)
    expect(holds(odd.slice(0, -1), odd)).toBe(false)
    expect(holds(odd.replace('\u0001', ''), odd)).toBe(false)
    expect(holds('x', ' x ')).toBe(false)
  })
})

const of = (outcome: Outcome) => example('one', oneTurn([round(answer([call('c1', '{}', { outcome })]))]))
const told = (text: string, error: boolean | null, how: 'ok' | 'error' = 'ok') =>
  tell()
    .turn()
    .request()
    .answer([{ key: 'c1', id: 'a' }])
    .started('x1', '{}', { callId: 'a' })
    .ended('x1', how)
    .request([shown('a'), { resultOf: 'a', text, error }])
    .answer([])
    .end()
    .trace()

describe('EXE-8', () => {
  it('takes the whole text, a placeholder for an empty one, a generic text for an exception', () => {
    expect(seen(exe8, told(`${odd} ${markOf('x1')}`, false), of({ give: { text: odd } }))).toBe('')
    expect(seen(exe8, told('(no output)', false), of({ give: { text: '' } }))).toBe('')
    expect(seen(exe8, told('Something went wrong.', true, 'error'), of({ give: 'reject' }))).toBe('')
    expect(seen(exe8, told('Something went wrong.', null, 'error'), of({ give: 'reject' }))).toBe('')
    expect(seen(exe8, told('Tool error.', true, 'error'), of({ give: { text: 'no' }, error: true }))).toBe('')
  })
  it('finds a text that is cut, trimmed or replaced, and says how far it came', () => {
    expect(seen(exe8, told(`a "b ${markOf('x1')}`, false), of({ give: { text: odd } }))).toContain('up to character 4')
    expect(seen(exe8, told(markOf('x1'), false), of({ give: { text: odd } }))).toContain('not even its first')
    expect(seen(exe8, told('done', false), of({ give: { text: ' x ' } }))).toContain('not even its first')
    expect(seen(exe8, told(`n ${markOf('x1')}`, true, 'error'), of({ give: { text: 'no' }, error: true }))).toContain(
      'up to character 1',
    )
  })
  it('finds an error that is not marked as one, where the dialect has a mark', () => {
    expect(seen(exe8, told('bad', false, 'error'), of({ give: 'reject' }))).toContain('marked as a success')
    expect(seen(exe8, told(`no ${markOf('x1')}`, false, 'error'), of({ give: { text: 'no' }, error: true }))).toContain(
      'marked as a success',
    )
  })
  it('is not reached when the call did not run or no request shows its result', () => {
    expect(
      judge(
        exe8,
        tell()
          .turn()
          .request()
          .answer([{ key: 'c1', id: 'a' }])
          .end()
          .trace(),
        of({ give: { text: odd } }),
      ).is,
    ).toBe('not-reached')
  })
})
