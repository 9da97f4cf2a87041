// What the model is told of a call that did not run, and the user of a turn that went wrong. Each sentence names the tool as
// the model wrote it, the reason, and what to do next; it must never hold a name of our own insides.

const nameMax = 200
const messageMax = 2000
const namesListed = 20

const clip = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`

export const clipName = (name: string): string => (name.length <= nameMax ? name : name.slice(0, nameMax))
export const clipMessage = (text: string): string => clip(text, messageMax)
/** The name in quotes as they are, not escaped: who looks for the name must find it. */
const quoted = (name: string): string => `"${clip(name, nameMax)}"`

/** The text of a result where the dialect has no mark for errors: an error's holds its tool's name. */
export const textThatNames = ({ name, text, error }: { name: string; text: string; error: boolean }): string =>
  error && !text.includes(clipName(name)) ? `The tool "${clipName(name)}" failed: ${text}` : text

export const say = {
  /** `nearest`: offered names that may have been meant, nearest first. */
  unknownTool(name: string, offered: readonly string[], nearest: readonly string[] = []): string {
    const unknown = `There is no tool named ${quoted(name)}, so nothing was run.`
    if (offered.length === 0) return `${unknown} No tools are offered.`
    if (nearest.length > 0)
      return `${unknown} Send the call again under the name of a tool that is offered. Did you mean: ${nearest.join(', ')}?`
    const names = offered.slice(0, namesListed).join(', ')
    const more = offered.length > namesListed ? `, and ${offered.length - namesListed} more` : ''
    return `${unknown} Call one of the tools that are offered: ${names}${more}.`
  },
  freeForm: (name: string): string =>
    `The tool ${quoted(name)} takes JSON arguments, not free-form input, so it was not run. Call it again as a function, with a JSON object.`,
  unreadable: (name: string, fault: string): string =>
    `The arguments of ${quoted(name)} could not be read as a JSON object, so it was not run: ${clip(fault, 500)}. Send the whole call again with valid JSON.`,
  tooDeep: (name: string, most: number): string =>
    `The arguments of ${quoted(name)} are nested deeper than ${most} levels, so it was not run. Send the call again with flatter arguments.`,
  cutOff: (name: string): string =>
    `The call of ${quoted(name)} was cut off by the output limit, so it was not run. Send the whole call again; split the work into smaller calls where it is long.`,
  filtered: (name: string, reason: string): string =>
    `The answer that held this call was stopped (${clip(reason, nameMax)}), so ${quoted(name)} was not run. Send the call again in an answer of its own, if it is still wanted.`,
  cancelled: (name: string, begun: boolean): string =>
    begun
      ? `The user cancelled while ${quoted(name)} was running; its outcome is not known.`
      : `The user cancelled before ${quoted(name)} was run. Send the call again only if the user still wants it.`,
  failed: (name: string, why: string): string => `The tool ${quoted(name)} failed: ${clip(why, messageMax)}`,
  rubbish: (name: string, got: string): string =>
    `The tool ${quoted(name)} gave no result that can be read: a text was expected, ${got} came.`,

  leftOut: (name: string, why: string): string => `The tool ${quoted(name)} is left out: ${why}.`,
  shownAgain: 'The answer broke off and is asked for again; its text is shown again from the beginning.',
  gaveUp: (why: string, attempts: number): string =>
    `The model could not be reached (${clip(why, messageMax)}); given up after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}.`,
  noCalls: (reason: string): string =>
    `The model ended its answer to call tools (${clip(reason, nameMax)}) but called none; the turn ends here.`,
  answerCutOff: 'The answer was cut off by the output limit.',
  answerFiltered: (reason: string): string => `The answer was stopped (${clip(reason, nameMax)}).`,
  stepLimit: (steps: number): string =>
    `The turn was ended after ${steps} answers of the model, the most a turn may take.`,
  refusedRounds: (rounds: number): string =>
    `The turn was ended because no call of the last ${rounds} answers could be run.`,
} as const
