// Recorded streams as cases, and what is judged of them.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { read } from '../../contract/index.ts'
import { tell } from '../../contract/tell.ts'
import { handAnswer } from './bytes.ts'
import { judgeRecording, meantOf, recordingCases, recordingTools } from './recorded.ts'

const means = [
  { id: 'c1', name: 'weather', text: '{"city":"Rome"}' },
  { id: 'c2', name: 'a b/ü', text: '' },
  { id: 'c3', name: 'weather', text: '{"city":"Oslo"}' },
]
const bytes = handAnswer('openai-chat', 'data: [DONE]\n\n', null)
if (bytes.as !== 'bytes') throw new Error('a hand-written answer is bytes')

describe('a recording as a case', () => {
  it('is replayed whole, at hostile cuts and byte by byte', () => {
    const [c] = recordingCases('one', bytes, means)
    const cuts = c!.variants.map((s) => {
      const [step] = s.sessions[0]!.steps
      return step?.do === 'turn' ? step.rounds[0]?.attempts[0].cuts : undefined
    })
    expect(cuts).toEqual(['whole', 'hostile', 'each'])
    expect(c!.want).toEqual({ c0: '{"city":"Rome"}', c1: '{}', c2: '{"city":"Oslo"}' })
  })
  it('has a tool for every name, as it is written', () => {
    expect(recordingTools(means).map((t) => [t.key, t.name])).toEqual([
      ['weather.0', 'weather'],
      ['a_b__.1', 'a b/ü'],
    ])
    expect(recordingTools([]).length).toBe(1)
  })
  it('says what is wrong with an index', () => {
    expect(meantOf([{ id: 'c', name: 'n', arguments: '{}' }])).toEqual([{ id: 'c', name: 'n', text: '{}' }])
    expect(() => meantOf({})).toThrow('as an array')
    expect(() => meantOf([{ id: 1, name: 'n', arguments: '{}' }])).toThrow('Call 0')
  })
})

describe('the calls of a recording', () => {
  const life = () =>
    tell('openai-chat')
      .turn()
      .request()
      .answer([{ id: 'c1', name: 'weather', tool: 'weather.0' }])
  const judge = (t: ReturnType<typeof life>) => judgeRecording([read(t.trace())], means)
  it('are found when each ran once', () => {
    const t = life()
      .ran('x1', '{"city": "Rome"}', { tool: 'weather.0' })
      .ran('x2', '{}', { tool: 'a_b__.1' })
      .ran('x3', '{"city":"Oslo"}', { tool: 'weather.0' })
    expect(judge(t.end())).toEqual({ is: 'held' })
  })
  it('are missed, and strangers seen', () => {
    const t = life()
      .ran('x1', '{"city":"Rom"}', { tool: 'weather.0' })
      .ran('x2', '{}', { tool: 'a_b__.1' })
      .ran('x3', '{"city":"Oslo"}', { tool: 'weather.0' })
    const judgement = judge(t.end())
    expect(judgement.is === 'broken' && judgement.findings.map((f) => f.expected)).toEqual([
      'weather runs with "{\\"city\\":\\"Rome\\"}"',
      'no call but those of the recording runs',
    ])
  })
  it('are not judged where nothing was taken', () => {
    const t = tell('openai-chat').turn().request().answer([], { upTo: 0 }).end()
    expect(judge(t).is).toBe('not-reached')
  })
})

// Third-party data stands beside the checkout, or not at all.
const shelf = new URL('../../../shared/recorded/', import.meta.url)
const there = existsSync(new URL('index.json', shelf))
describe(
  there ? 'the recordings beside the checkout' : 'the recordings beside the checkout (left out: there are none)',
  () => {
    it('become cases, each with its calls', () => {
      if (!there) return expect(there).toBe(false)
      const index = JSON.parse(readFileSync(new URL('index.json', shelf), 'utf8')) as {
        file: string
        dialect: 'openai-chat'
        calls: unknown
      }[]
      expect(index.length).toBeGreaterThan(0)
      for (const { file, dialect, calls } of index) {
        const recording = handAnswer(dialect, readFileSync(new URL(file, shelf), 'utf8'), null)
        if (recording.as !== 'bytes') throw new Error('a recording is bytes')
        const [c] = recordingCases(file, recording, meantOf(calls))
        expect(c!.variants.length).toBe(3)
        expect(
          Object.values(c!.want!).every((w) => w !== null),
          file,
        ).toBe(true)
      }
    })
  },
)
