// STR, reading the stream: its rules in the order of the contract. One file a rule, or two that share one judge's questions.
import type { Rule } from '../../contract/index.ts'
import { boundRule, brokenEarlyRule } from './asking-again.ts'
import { brokenRule } from './broken.ts'
import { chunksRule } from './chunks.ts'
import { emptyArgumentsRule } from './empty-arguments.ts'
import { framingRule } from './framing.ts'
import { habitsRule } from './habits.ts'
import { historyRule } from './history.ts'
import { idsRule } from './ids.ts'
import { interleavingRule } from './interleaving.ts'
import { noCallsRule } from './no-calls.ts'
import { providerRunRule } from './provider-run.ts'
import { reasoningRule } from './reasoning.ts'
import { endTurnRule, reasonsRule } from './reasons.ts'
import { refusedRule } from './refused.ts'
import { silenceRule } from './silence.ts'
import { textStreamRule } from './text-stream.ts'

export { judgeRecording, meantOf, recordingCases, recordingRule, recordingTools } from './recorded.ts'

export const strRules: Rule[] = [
  chunksRule,
  framingRule,
  interleavingRule,
  textStreamRule,
  emptyArgumentsRule,
  brokenRule,
  historyRule,
  brokenEarlyRule,
  boundRule,
  silenceRule,
  idsRule,
  reasoningRule,
  habitsRule,
  noCallsRule,
  reasonsRule,
  endTurnRule,
  providerRunRule,
  refusedRule,
]
