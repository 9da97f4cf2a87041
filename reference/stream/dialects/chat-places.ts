// Which call does a tool-call delta of a chat completion belong to? Providers leave out, repeat and reuse index, id and name;
// here is what each habit means, in one place. It must never take an id for more than a hint.

export interface DeltaHead {
  /** undefined: the delta has none. */
  index: number | string | undefined
  id: string
  name: string
}
export interface ChatCall {
  at: number
  id: string
  name: string
}
/** Finds the call of a delta, or opens one with `open`. `fresh`: its first delta, or its head has changed. */
export type ChatPlaces = (head: DeltaHead) => { call: ChatCall; fresh: boolean }
export type ChatPlacesFactory = (open: (id: string, name: string) => ChatCall) => ChatPlaces

export const createChatPlaces: ChatPlacesFactory = (open) => {
  const byIndex = new Map<number | string, ChatCall>()
  const byId = new Map<string, ChatCall>()
  let last: ChatCall | undefined

  const begin = ({ index, id, name }: DeltaHead): { call: ChatCall; fresh: boolean } => {
    const call = open(id, name)
    if (index !== undefined) byIndex.set(index, call)
    if (id !== '') byId.set(id, call)
    last = call
    return { call, fresh: true }
  }
  /** The head of a call may come in pieces; what is repeated changes nothing. */
  const go = (call: ChatCall, { id, name }: DeltaHead): { call: ChatCall; fresh: boolean } => {
    last = call
    const learnsId = call.id === '' && id !== ''
    const learnsName = call.name === '' && name !== ''
    if (learnsId) {
      call.id = id
      byId.set(id, call)
    }
    if (learnsName) call.name = name
    return { call, fresh: learnsId || learnsName }
  }

  return (head) => {
    const { index, id, name } = head
    if (index !== undefined) {
      const call = byIndex.get(index)
      if (!call) return begin(head)
      const another = id !== '' && name !== '' && call.id !== '' && call.id !== id
      return another ? begin(head) : go(call, head)
    }
    if (id !== '') {
      const call = byId.get(id)
      if (call) return go(call, head)
      // The id of a call whose name came first; a name of its own makes it another call.
      return last && last.id === '' && name === '' ? go(last, head) : begin(head)
    }
    if (!last) return begin(head)
    // Without index and id a name that was said before goes on only where the call is known by its id.
    const another = name !== '' && last.name !== '' && (last.name !== name || last.id === '')
    return another ? begin(head) : go(last, head)
  }
}
