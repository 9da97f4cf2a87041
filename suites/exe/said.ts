// What was SAID before something ran, by model, tool or user, and whether an execution came from there. EXE-7 and FOR-1 share it, so
// that an execution nobody asked for is one rule's finding and not two. It must never accuse: it sorts what is stray already.
import { type Exec, isObject, type Json, parseJson, type Story, sameJson, sameValue } from '../../contract/index.ts'

/** Texts of model, tools and user that a host had seen when event `before` came. */
export function saidBefore(story: Story, session: string, before: number): string[] {
  const answers = story.answers.filter((a) => a.session === session && a.event < before)
  const turns = story.turns.filter((t) => t.session === session && t.start < before)
  const requests = story.requests.filter((r) => r.session === session && r.event < before)
  const results = requests.flatMap((r) => r.history.flatMap((i) => ('resultOf' in i ? [i.text] : [])))
  return [...turns.map((t) => t.user), ...answers.flatMap((a) => [a.text, a.reasoning]), ...new Set(results)].filter(
    (t) => t !== '',
  )
}

/** Does a text look like a call in any wrapper that hosts or models know? */
export const looksLikeCall = (text: string): boolean =>
  /[<[](?:[\w-]{1,32}:)?(?:tool_calls?|function_calls?|invoke|tool_use|function=)/i.test(text) ||
  /<[|｜]tool|\[TOOL_CALLS\]|```tool_(?:call|code)/i.test(text) ||
  /<\|(?:python_tag|start|channel|action_start|START_ACTION|tool)|\bfunctools\[|\[ARGS\]|\bto=functions\./.test(text) ||
  /<\/?(?:｜\w+｜)?(?:function|functioncall|function_calls?|toolcall|tools|use_mcp_tool)\b/i.test(text) ||
  /^\s*(?:>>>|Action(?: \d+)?:)/m.test(text) ||
  /"(?:name|tool|function|action)"\s*:/.test(text)

/** How many characters of one text are searched for values: what is longer was planted by no rule. */
const searched = 20_000

/** Every JSON object that stands in a text, wherever it begins. */
export function valuesIn(text: string): Json[] {
  const found: Json[] = []
  const part = text.slice(0, searched)
  for (let from = part.indexOf('{'); from !== -1 && found.length < 100; from = part.indexOf('{', from + 1)) {
    const value = parseJson(objectAt(part, from))
    if (isObject(value)) found.push(value)
  }
  return found
}

/** From an opening brace to the one that closes it, strings respected. */
function objectAt(text: string, from: number): string {
  let depth = 0
  let quoted = false
  for (let i = from; i < text.length; i++) {
    const c = text[i]
    if (quoted) {
      if (c === '\\') i++
      else if (c === '"') quoted = false
    } else if (c === '"') quoted = true
    else if (c === '{') depth++
    else if (c === '}' && --depth === 0) return text.slice(from, i + 1)
  }
  return ''
}

/** Did this execution, which no call asked for, come from text? Its input stands there, or its tool is named, or something looks like a call. */
export function fromText(story: Story, exec: Exec): boolean {
  const texts = saidBefore(story, exec.session, exec.event)
  const input = parseJson(exec.input)
  const given = isObject(input) && Object.keys(input).length > 0
  if (given && texts.some((t) => valuesIn(t).some((v) => sameValue(v, input)))) return true
  // The same call of the model once more is a second run, however much the text talks of tools.
  const again = story.calls.some(
    (c) =>
      c.session === exec.session && c.answer.event < exec.event && c.tool === exec.tool && sameJson(c.text, exec.input),
  )
  if (again) return false
  return texts.some((t) => t.includes(exec.tool) || looksLikeCall(t))
}

/** Executions that text brought about: stray ones, and those that took the place of a call with arguments of another value. */
export const forged = (story: Story): Exec[] =>
  story.execs.filter((x) => {
    if (x.parent !== undefined) return false
    if (!x.call) return fromText(story, x)
    if (x.by !== 'rest' || !isObject(parseJson(x.call.text))) return false
    const input = parseJson(x.input)
    if (!isObject(input) || Object.keys(input).length === 0) return false
    return saidBefore(story, x.session, x.event).some((t) => valuesIn(t).some((v) => sameValue(v, input)))
  })
