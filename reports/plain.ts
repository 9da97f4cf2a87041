// What a host, a model or a file said, made fit for a terminal: one line, nothing in it can move a cursor or hide itself.
// It must never change what a finding says beyond escaping it.

/** C0, DEL, C1, line separators, characters that turn the direction of writing or are invisible, the tag block, lone surrogates. */
const unfit =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu

const short: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const escaped = (char: string): string => {
  const known = short[char]
  if (known !== undefined) return known
  const code = char.codePointAt(0)!
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
}

/** One line without control characters, each written as its escape. */
export const plain = (text: string): string => text.replace(unfit, escaped)

/** `plain`, at most `most` characters of it; what was cut is said. */
export const clip = (text: string, most = 160): string => {
  if (text.length <= most) return plain(text)
  const head = text.slice(0, most)
  // Half of a surrogate pair at the cut would show as damage that is not there.
  const whole = /[\ud800-\udbff]$/.test(head) ? head.slice(0, -1) : head
  return `${plain(whole)}… (${text.length} characters)`
}
