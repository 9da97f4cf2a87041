// A tool as the turn sees it, wherever it comes from. Input and schema are JSON text, so that nothing is lost on the way.

export interface Tool {
  name: string
  description: string
  /** JSON text, as registered. */
  schema: string
  /** It says that it changes nothing. */
  readOnly: boolean
  /** Takes JSON text of an object. Whatever it gives or throws is judged by whoever runs it, not trusted. */
  run(input: string, context: ToolContext): Promise<unknown>
}
export interface ToolContext {
  /** As the model gave it; undefined where it gave none. */
  callId: string | undefined
  signal: AbortSignal
}
