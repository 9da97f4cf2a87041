// The suite's own names ladder against the checked-in vectors, and every vector's place in a rule.
import { describe, expect, it } from 'vitest'
import { distance, fold, mayRun, meaningOf, withoutPrefix } from './ladder.ts'
import { isPlayable, nameVectors, ruleOf, vectorsOf } from './vectors.ts'

describe('meaningOf', () => {
  it.each(nameVectors().map((v) => [v.line, v.why, v] as const))('vector %i: %s', (_, __, v) => {
    const tools = v.tools
      .filter((t) => !t.standIn && !t.outside)
      .map((t) => ({ name: t.name, readOnly: t.readOnly === true, shown: t.promptShows === true }))
    const meant = meaningOf(v.ask, tools)
    expect('tool' in meant ? [meant.tool.name, meant.rung] : [null, null]).toEqual([v.want, v.rung])
    const turned = meaningOf(v.ask, [...tools].reverse())
    expect('tool' in turned ? turned.tool.name : null).toBe(v.want)
  })
})

describe('fold', () => {
  it.each([
    ['GetHTTPURL', 'get_httpurl'],
    [' \t\v\fReadFile\r\n', 'read_file'],
    ['\u00a0read', '\u00a0read'],
    ['IDsGet', 'i_ds_get'],
    ['v2Get', 'v2get'],
    ['ÄrgerFile', 'Ärger_file'],
  ])('%j is %j', (name, folded) => expect(fold(name)).toBe(folded))
})

describe('mayRun', () => {
  const tools = [
    { name: 'read_file', readOnly: true },
    { name: 'write_all', readOnly: false },
  ]
  const run = (ask: string, shown = false) => mayRun(ask, tools, () => shown).map((t) => t.name)
  it('takes off one known prefix', () => {
    expect(run('functions.read_file')).toEqual(['read_file'])
    expect(run('default_api:ReadFile')).toEqual(['read_file'])
    expect(run('functions.functions.read_file')).toEqual([])
    expect(withoutPrefix('other.read_file')).toBeUndefined()
  })
  it('completes a name of a tool that writes only where a prompt shows it', () => {
    expect(run('write')).toEqual([])
    expect(run('write', true)).toEqual(['write_all'])
    expect(run('read')).toEqual(['read_file'])
  })
})

describe('distance', () => {
  it.each([
    ['', 'abc', 3],
    ['writ', 'write', 1],
    ['raed', 'read', 2],
    ['same', 'same', 0],
  ])('%j to %j is %i', (a, b, n) => expect(distance(a, b)).toBe(n))
})

describe('the vectors', () => {
  it('are all there, and each has a rule that shows it', () => {
    expect(nameVectors().length).toBeGreaterThan(80)
    const shown = (['NAM-1', 'NAM-2', 'NAM-3', 'NAM-4', 'NAM-5', 'NAM-8', 'NAM-9'] as const).map((rule) =>
      vectorsOf(rule),
    )
    for (const vectors of shown) expect(vectors.length).toBeGreaterThan(0)
    expect(shown.flat().length).toBe(nameVectors().length)
  })
  it('that no scenario can set up are asked of the component, or mean nothing', () => {
    const asked = ['NAM-1', 'NAM-2', 'NAM-3', 'NAM-4']
    for (const v of nameVectors().filter((x) => !isPlayable(x)))
      expect(asked.includes(ruleOf(v)) || v.want === null, v.why).toBe(true)
  })
})
