// What the rest of the house takes from wire/. Nothing is decided here.
import type { Dialect } from '../contract/index.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import type { Codec } from './codec.ts'
import { gemini } from './gemini.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'

/** The dialects that can be spoken. */
export const codecs: Partial<Record<Dialect, Codec>> = {
  'anthropic-messages': anthropicMessages,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  gemini,
}

export type * from './codec.ts'
export * from './cuts.ts'
export * from './delivery.ts'
export * from './fetch.ts'
export * from './http-server.ts'
export { canonical, jsonText } from './json-text.ts'
export * from './recordings.ts'
export * from './responder.ts'
export * from './sse.ts'
export { anthropicMessages, gemini, openaiChat, openaiResponses }
