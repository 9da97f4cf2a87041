// Every replaceable part of the reference, by name, and the host that is made of them. Replacing one part is how anything else is
// tried in its place; the reference itself must never know which part stands where.
import { createRequire } from 'node:module'
import { dialects, type Facts, type Host, idleJudgedMs, isCutOff, opensLadder, slotFigures } from '../contract/index.ts'
import { answerProbe } from './arguments-probe.ts'
import { type Catalogue, catalogue } from './catalog/catalog.ts'
import {
  foldName,
  mayComplete,
  type NameSteps,
  type NearestNames,
  nameDistance,
  nearestNames,
  type ResolveName,
  resolveName,
  withoutToolWord,
} from './catalog/names.ts'
import { answerNamesProbe } from './names-probe.ts'
import { type Dispatch, dispatch } from './slot/dispatcher.ts'
import { type Specify, specify } from './slot/spec.ts'
import { createAssembler } from './stream/assemble.ts'
import {
  type AnthropicDecoderFactory,
  type AnthropicReading,
  createAnthropicDecoder,
  isOurCall,
} from './stream/dialects/anthropic-messages.ts'
import { createChatPlaces } from './stream/dialects/chat-places.ts'
import {
  createGeminiDecoder,
  type GeminiDecoderFactory,
  type GeminiReading,
  isOurPart,
} from './stream/dialects/gemini.ts'
import {
  type ChatDecoderFactory,
  type ChatReading,
  createChatDecoder,
  isOurChatCall,
} from './stream/dialects/openai-chat.ts'
import {
  createResponsesDecoder,
  isOurItem,
  itemOf,
  type ResponsesDecoderFactory,
  type ResponsesReading,
} from './stream/dialects/openai-responses.ts'
import { parseData } from './stream/events.ts'
import { createFrameParser, decodeText } from './stream/framing.ts'
import { type LadderSteps, ladderSteps, repairArguments } from './stream/repair-arguments.ts'
import { anthropicWriter } from './turn/anthropic-request.ts'
import { type Attempt, attempt, type Reading } from './turn/attempt.ts'
import { chatWriter } from './turn/chat-request.ts'
import { execute, readOutcome } from './turn/execute.ts'
import { type Finishing, finish, resultOf } from './turn/finish.ts'
import { geminiWriter } from './turn/gemini-request.ts'
import type { Writer } from './turn/history.ts'
import { type NameIds, nameIds, type ShowName, showName } from './turn/ids.ts'
import { isPause, refusedRoundsMax, saysCalls, stepLimit, type Turning } from './turn/loop.ts'
import { argumentText, depthMax, isEmptyArguments, isFiltered, lookUp, makePlans, type Planning } from './turn/plan.ts'
import { responsesWriter } from './turn/responses-request.ts'
import { pause, pauseMs, retryAfterMs, shouldAskAgain } from './turn/retry.ts'
import { type InForce, openSession, type ShowText, showText } from './turn/session.ts'

export interface Parts
  extends LadderSteps,
    AnthropicReading,
    ChatReading,
    ResponsesReading,
    GeminiReading,
    NameSteps,
    Omit<Reading, 'createDecoder'>,
    Omit<Planning, 'steps' | 'nameSteps'>,
    Pick<
      Turning,
      | 'makePlans'
      | 'execute'
      | 'readOutcome'
      | 'finish'
      | 'shouldAskAgain'
      | 'pauseMs'
      | 'pause'
      | 'isPause'
      | 'saysCalls'
      | 'stepLimit'
      | 'refusedRoundsMax'
    > {
  // stream/
  createAnthropicDecoder: AnthropicDecoderFactory
  createChatDecoder: ChatDecoderFactory
  createResponsesDecoder: ResponsesDecoderFactory
  createGeminiDecoder: GeminiDecoderFactory
  // slot/, catalog/
  specify: Specify
  dispatch: Dispatch
  catalogue: Catalogue
  resolveName: ResolveName
  nearestNames: NearestNames
  // turn/
  attempt: Attempt
  resultOf: Finishing['resultOf']
  nameIds: NameIds
  showName: ShowName
  anthropicWriter: Writer
  chatWriter: Writer
  responsesWriter: Writer
  geminiWriter: Writer
  showText: ShowText
}

export const defaultParts: Parts = {
  createFrameParser,
  decodeText,
  parseData,
  createAnthropicDecoder,
  isOurCall,
  createChatDecoder,
  createPlaces: createChatPlaces,
  isOurChatCall,
  createResponsesDecoder,
  isOurItem,
  itemOf,
  createGeminiDecoder,
  isOurPart,
  createAssembler,
  ...ladderSteps,
  repairArguments,

  specify,
  dispatch,
  catalogue,
  foldName,
  withoutToolWord,
  mayComplete,
  nameDistance,
  resolveName,
  nearestNames,

  argumentText,
  isEmptyArguments,
  isCutOff,
  opensLadder,
  isFiltered,
  lookUp,
  depthMax,
  makePlans,
  execute,
  readOutcome,
  finish,
  resultOf,
  nameIds,
  showName,
  anthropicWriter,
  chatWriter,
  responsesWriter,
  geminiWriter,

  attempt,
  retryAfterMs,
  shouldAskAgain,
  pauseMs,
  pause,
  isPause,
  saysCalls,
  stepLimit,
  refusedRoundsMax,
  showText,
}

/** The idle limit is the longest that is still judged. */
export const declaredFigures: InForce = { asks: 4, repairMax: slotFigures.repairMax, idleMs: idleJudgedMs }

/** The reference host, with these parts in place of its own. */
export function createReference(parts: Partial<Parts> = {}): Host {
  const all: Parts = { ...defaultParts, ...parts }
  return {
    describe: async () => facts,
    open: async (setup, services) => openSession(setup, services, all, declaredFigures),
    probe: (probe, inputs) => {
      if (probe === 'arguments') return answerProbe(inputs, declaredFigures.repairMax, all)
      if (probe === 'names') return answerNamesProbe(inputs, all)
      throw new Error(`The reference has the probes arguments and names, not ${probe}.`)
    },
  }
}

// By the package's own name, so that it is found from the sources and from what is built of them.
const { version } = createRequire(import.meta.url)('slotproof/package.json') as { version: string }

const facts: Facts = {
  protocol: 1,
  name: 'slotproof-reference',
  version,
  profiles: ['core'],
  dialects: [...dialects],
  features: ['repair', 'names', 'cancel'],
  sights: ['calls', 'requests', 'text', 'notices', 'spans', 'probe:arguments', 'probe:names'],
  figures: declaredFigures,
  roles: {},
  can: { turns: 1000, sessions: 1000, parallel: 32, restart: false, resume: false, tunnel: true },
}
