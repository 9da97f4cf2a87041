// Writes requests of chat completions. This dialect has no mark for errors, so an error's text names its tool. It must never
// send a message that says nothing.
import { isBlankText, modelName, noOutput, noText, type Piece, type ShownBlock, type Writer } from './history.ts'
import { textThatNames } from './say.ts'

const quote = JSON.stringify

const callJson = (block: Extract<ShownBlock, { is: 'call' }>): string =>
  block.freeForm === undefined
    ? `{"id":${quote(block.id)},"type":"function","function":{"name":${quote(block.name)},"arguments":${quote(block.args)}}}`
    : `{"id":${quote(block.id)},"type":"custom","custom":{"name":${quote(block.name)},"input":${quote(block.freeForm)}}}`

export const chatWriter: Writer = {
  dialect: 'openai-chat',
  path: '/chat/completions',
  headers: (apiKey) => ({
    'content-type': 'application/json',
    accept: 'text/event-stream',
    authorization: `Bearer ${apiKey}`,
  }),
  definition: (tool) =>
    `{"type":"function","function":{"name":${quote(tool.name)},"description":${quote(tool.description)},"parameters":${tool.schema}}}`,
  user: (text) => [{ role: 'user', json: `{"role":"user","content":${quote(text === '' ? noText : text)}}` }],
  assistant(blocks): Piece[] {
    const text = blocks.map((block) => (block.is === 'text' ? block.text : '')).join('')
    const calls = blocks.flatMap((block) => (block.is === 'call' ? [callJson(block)] : []))
    if (isBlankText(text) && calls.length === 0) return []
    const content = text === '' ? 'null' : quote(text)
    // Servers that take thinking back want it beside the calls it led to, and nowhere else.
    const reasoning =
      calls.length === 0 ? '' : blocks.map((block) => (block.is === 'reasoning' ? block.text : '')).join('')
    const thought = reasoning === '' ? '' : `,"reasoning_content":${quote(reasoning)}`
    const toolCalls = calls.length === 0 ? '' : `,"tool_calls":[${calls.join(',')}]`
    return [{ role: 'assistant', json: `{"role":"assistant","content":${content}${thought}${toolCalls}}` }]
  },
  results: (results) =>
    results.map((result) => ({
      role: 'tool',
      json: `{"role":"tool","tool_call_id":${quote(result.id)},"content":${quote(textThatNames(result) || noOutput)}}`,
    })),
  body(pieces, definitions) {
    const tools = definitions === '' ? '' : `"tools":[${definitions}],`
    return `{"model":"${modelName}",${tools}"messages":[${pieces.map((piece) => piece.json).join(',')}],"stream":true}`
  },
}
