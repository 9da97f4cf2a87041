// What is seen while a run goes on: on a terminal one block that is drawn again in place, in a pipe one line for each verdict.
import { createLogUpdate } from 'log-update'
import picocolors from 'picocolors'
import type { RuleResult, Verdict } from '../contract/index.ts'
import { clip, plain } from '../reports/plain.ts'
import { colorOf } from '../reports/terminal.ts'
import { areaOf, count, duration, spell, verdicts } from '../reports/words.ts'
import type { Progress } from '../run/api.ts'
import { hasColor, type Io, isLive, print } from './io.ts'

export interface ProgressView {
  on(p: Progress): void
  /** One line that stays. */
  say(line: string): void
  /** Leaves the terminal as it was; more than once does nothing. */
  end(): void
}

const redrawMs = 100

export const createProgress = (io: Io): ProgressView => (isLive(io) ? live(io) : lines(io))

/** A verdict in one line: `failed ARG-4 openai-chat: expected …, observed …`. */
export function verdictLine(r: RuleResult): string {
  const [first] = r.failures
  const [finding] = first?.findings ?? []
  const why =
    finding !== undefined
      ? `: expected ${clip(finding.expected)}; observed ${clip(finding.observed)}`
      : r.why !== undefined
        ? `: ${clip(r.why)}`
        : r.verdict === 'passed'
          ? `: reached ${r.reached} of ${count(r.executions, 'execution')}`
          : ''
  return `${spell(r.verdict)} ${r.rule.id} ${r.dialect}${why}`
}

const startLine = (p: Extract<Progress, { is: 'started' }>): string =>
  `slotproof: ${plain(p.host)} ${plain(p.version)}, ${count(p.planned, 'verdict')} planned, seed ${p.seed}`

function lines(io: Io): ProgressView {
  return {
    on(p) {
      if (p.is === 'started') print(io, startLine(p))
      if (p.is === 'judged') print(io, verdictLine(p.result))
    },
    say: (line) => print(io, line),
    end: () => {},
  }
}

function live(io: Io): ProgressView {
  const paint = picocolors.createColors(hasColor(io))
  const draw = createLogUpdate(io.out as NodeJS.WriteStream)
  const begun = performance.now()
  const byArea = new Map<string, Map<Verdict, number>>()
  let now = 'starting the host'
  let done = 0
  let planned = 0
  let executions = 0
  let over = false

  const block = (): string => {
    const width = Math.max(4, ...[...byArea.keys()].map((a) => a.length))
    const rows = [...byArea].map(([area, counts]) => {
      const cells = verdicts.flatMap((v) => {
        const n = counts.get(v) ?? 0
        return n === 0 ? [] : [colorOf(v, paint)(`${n} ${spell(v)}`)]
      })
      return `${area.padEnd(width)}  ${cells.join('  ')}`
    })
    const status = `${now} · ${done} of ${planned} verdicts · ${count(executions, 'execution')} · ${duration(performance.now() - begun)}`
    return [...rows, paint.dim(status)].join('\n')
  }
  const redraw = () => {
    if (!over) draw(block())
  }
  const keep = (line: string) => {
    if (over) return print(io, line)
    draw.clear()
    print(io, line)
    redraw()
  }
  const timer = setInterval(redraw, redrawMs)
  timer.unref()
  redraw()

  return {
    on(p) {
      switch (p.is) {
        case 'started':
          planned = p.planned
          keep(startLine(p))
          break
        case 'judging':
          now = `${p.rule} ${p.dialect}`
          executions = p.executions
          break
        case 'shrinking':
          now = `${p.rule} ${p.dialect}: making the failure smaller`
          break
        case 'judged': {
          const { rule, verdict } = p.result
          const counts = byArea.get(areaOf(rule.id)) ?? new Map<Verdict, number>()
          counts.set(verdict, (counts.get(verdict) ?? 0) + 1)
          byArea.set(areaOf(rule.id), counts)
          done = p.done
          planned = p.planned
          executions = p.executions
          if (verdict === 'failed' || verdict === 'warned' || verdict === 'harness-error')
            keep(colorOf(verdict, paint)(verdictLine(p.result)))
        }
      }
    },
    say: keep,
    end() {
      if (over) return
      over = true
      clearInterval(timer)
      draw.clear()
      draw.done()
    },
  }
}
