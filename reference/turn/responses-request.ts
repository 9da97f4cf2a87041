// Writes requests of the Responses API. Nothing is stored there, so the whole conversation goes with every request, reasoning as it
// came, sealed. This dialect has no mark for errors, so an error's text names its tool. Items bear no ids: those mean nothing here.
import { isBlankText, modelName, noOutput, noText, type Piece, type ShownBlock, type Writer } from './history.ts'
import { textThatNames } from './say.ts'

const quote = JSON.stringify

const itemsOf = (block: ShownBlock): string[] => {
  switch (block.is) {
    case 'text':
      return isBlankText(block.text)
        ? []
        : [
            `{"type":"message","role":"assistant","content":[{"type":"output_text","text":${quote(block.text)},"annotations":[]}]}`,
          ]
    case 'sealed':
      return [block.json]
    case 'reasoning':
      return []
    case 'call': {
      const head = `"call_id":${quote(block.id)},"name":${quote(block.name)}`
      return [
        block.freeForm === undefined
          ? `{"type":"function_call",${head},"arguments":${quote(block.args)}}`
          : `{"type":"custom_tool_call",${head},"input":${quote(block.freeForm)}}`,
      ]
    }
  }
}

export const responsesWriter: Writer = {
  dialect: 'openai-responses',
  path: '/responses',
  headers: (apiKey) => ({
    'content-type': 'application/json',
    accept: 'text/event-stream',
    authorization: `Bearer ${apiKey}`,
  }),
  // Schemas are sent as they were registered, and the strict mode would refuse most of them.
  definition: (tool) =>
    `{"type":"function","name":${quote(tool.name)},"description":${quote(tool.description)},"parameters":${tool.schema},"strict":false}`,
  user: (text) => [
    {
      role: 'user',
      json: `{"type":"message","role":"user","content":[{"type":"input_text","text":${quote(text === '' ? noText : text)}}]}`,
    },
  ],
  assistant: (blocks) => blocks.flatMap(itemsOf).map((json): Piece => ({ role: 'assistant', json })),
  results: (results) =>
    results.map((result) => ({
      role: 'tool',
      json: `{"type":"${result.call?.freeForm === undefined ? 'function_call_output' : 'custom_tool_call_output'}","call_id":${quote(result.id)},"output":${quote(textThatNames(result) || noOutput)}}`,
    })),
  body(pieces, definitions) {
    const tools = definitions === '' ? '' : `"tools":[${definitions}],`
    return `{"model":"${modelName}",${tools}"input":[${pieces.map((piece) => piece.json).join(',')}],"stream":true,"store":false,"include":["reasoning.encrypted_content"]}`
  },
}
