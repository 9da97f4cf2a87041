// Writes requests of the Gemini API. Parts of one role that follow each other are one content, but for results: they stand alone
// between the calls and what follows. It must never give a call an id that the model did not, nor part a signature from its part.
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

/** Names here begin with a letter or `_`. */
const startsLegally = (name: string): boolean => /^[a-zA-Z_]/.test(name)
const legalName = (name: string): string => (startsLegally(name) ? name : `_${name}`.slice(0, 64))

const idOf = (id: string, anonymous: boolean | undefined): string => (anonymous ? '' : `"id":${quote(id)},`)

const partsOf = (block: ShownBlock): string[] => {
  switch (block.is) {
    case 'text':
      return isBlankText(block.text) ? [] : [`{"text":${quote(block.text)}}`]
    case 'sealed':
      return [block.json]
    case 'reasoning':
      return []
    case 'call': {
      const signature = block.signature === undefined ? '' : `,"thoughtSignature":${quote(block.signature)}`
      const name = quote(legalName(block.name))
      return [`{"functionCall":{${idOf(block.id, block.anonymous)}"name":${name},"args":${block.args}}${signature}}`]
    }
  }
}

const roles = { user: 'user', assistant: 'model', tool: 'user' } as const

export const geminiWriter: Writer = {
  dialect: 'gemini',
  path: `/v1beta/models/${modelName}:streamGenerateContent?alt=sse`,
  headers: (apiKey) => ({
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'x-goog-api-key': apiKey,
  }),
  refuseName: (name) =>
    startsLegally(name) ? undefined : 'its name does not begin with a letter or _, which this dialect wants',
  definition: (tool) =>
    `{"name":${quote(tool.name)},"description":${quote(tool.description)},"parametersJsonSchema":${tool.schema}}`,
  user: (text) => [{ role: 'user', json: `{"text":${quote(isBlankText(text) ? noText : text)}}` }],
  assistant: (blocks) => blocks.flatMap(partsOf).map((json): Piece => ({ role: 'assistant', json })),
  results: (results) =>
    results.map(({ id, name, call, text, error }) => {
      const said = `{"${error ? 'error' : 'output'}":${quote(text === '' ? noOutput : text)}}`
      return {
        role: 'tool',
        json: `{"functionResponse":{${idOf(id, call?.anonymous)}"name":${quote(legalName(call?.name ?? name))},"response":${said}}}`,
      }
    }),
  body(pieces, definitions) {
    const contents: string[] = []
    for (let i = 0; i < pieces.length; ) {
      const { role } = pieces[i]!
      const parts: string[] = []
      for (; i < pieces.length && pieces[i]!.role === role; i++) parts.push(pieces[i]!.json)
      contents.push(`{"role":"${roles[role]}","parts":[${parts.join(',')}]}`)
    }
    const tools = definitions === '' ? '' : `"tools":[{"functionDeclarations":[${definitions}]}],`
    return `{"contents":[${contents.join(',')}],${tools}"generationConfig":{"maxOutputTokens":${maxTokens}}}`
  },
}
