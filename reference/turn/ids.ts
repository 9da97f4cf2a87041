// The ids of calls as the history shows them. A session's history holds each id once; a call whose own id cannot be used is
// renamed, and its result with it. Nothing else may ever depend on an id.

/** What strict servers take: letters, digits, `_` and `-`, no longer than the shortest limit known. */
const usable = /^[a-zA-Z0-9_-]{1,64}$/

/** Gives the id under which a call and its result are shown; it has not been given before. */
export type NameId = (id: string) => string
export type NameIds = () => NameId

export const nameIds: NameIds = () => {
  const used = new Set<string>()
  let made = 0
  return (id) => {
    let name = id
    while (!usable.test(name) || used.has(name)) name = `call_${++made}`
    used.add(name)
    return name
  }
}

/** The name of a call as it may stand in a history: strict servers refuse other letters there too. */
export type ShowName = (name: string) => string

export const showName: ShowName = (name) => {
  const legal = name.slice(0, 64).replace(/[^a-zA-Z0-9_-]/g, '_')
  return legal === '' ? 'unnamed' : legal
}
