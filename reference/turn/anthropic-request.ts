// Writes requests of the Anthropic Messages API. Blocks of one role that follow each other are one message. It must never send
// a text block that says nothing, nor arguments other than those it is given.
import {
  isBlankText,
  maxTokens,
  modelName,
  noOutput,
  noText,
  type Piece,
  type ShownBlock,
  type Writer,
} from './history.ts'

const quote = JSON.stringify

const assistantBlock = (block: ShownBlock): string[] => {
  switch (block.is) {
    case 'text':
      return isBlankText(block.text) ? [] : [`{"type":"text","text":${quote(block.text)}}`]
    case 'sealed':
      return [block.json]
    case 'reasoning':
      return []
    case 'call':
      return [`{"type":"tool_use","id":${quote(block.id)},"name":${quote(block.name)},"input":${block.args}}`]
  }
}

export const anthropicWriter: Writer = {
  dialect: 'anthropic-messages',
  path: '/messages',
  headers: (apiKey) => ({
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'x-api-key': apiKey,
    'anthropic-version': '2023-06-01',
  }),
  definition: (tool) =>
    `{"name":${quote(tool.name)},"description":${quote(tool.description)},"input_schema":${tool.schema}}`,
  user: (text) => [{ role: 'user', json: `{"type":"text","text":${quote(isBlankText(text) ? noText : text)}}` }],
  assistant: (blocks) => blocks.flatMap(assistantBlock).map((json): Piece => ({ role: 'assistant', json })),
  results: (results) =>
    results.map(({ id, text, error }) => ({
      role: 'user',
      json: `{"type":"tool_result","tool_use_id":${quote(id)},"content":${quote(text === '' ? noOutput : text)}${error ? ',"is_error":true' : ''}}`,
    })),
  body(pieces, definitions) {
    const messages: string[] = []
    for (let i = 0; i < pieces.length; ) {
      const { role } = pieces[i]!
      const content: string[] = []
      for (; i < pieces.length && pieces[i]!.role === role; i++) content.push(pieces[i]!.json)
      // A request that ends in the model's own words is one that it goes on from; servers take no white space there.
      if (i === pieces.length && role === 'assistant') content.push(withoutEndSpace(content.pop()!))
      messages.push(`{"role":"${role}","content":[${content.join(',')}]}`)
    }
    const tools = definitions === '' ? '' : `"tools":[${definitions}],`
    return `{"model":"${modelName}","max_tokens":${maxTokens},${tools}"messages":[${messages.join(',')}],"stream":true}`
  },
}

const withoutEndSpace = (json: string): string => {
  const block = JSON.parse(json) as { type: string; text?: string }
  return block.type === 'text' && block.text !== undefined ? quote({ ...block, text: block.text.trimEnd() }) : json
}
