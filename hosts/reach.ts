// How a session reaches the model: through a fetch that is handed over (in process, or over the tunnel), or through a real server.
// Every session has a token of its own in its base URL.
import type { SessionScript } from '../contract/index.ts'
import { createFetch, type HttpServer, httpDeliveryMs, type Responder } from '../wire/index.ts'
import type { Reach } from './play.ts'

/** No such host exists: whoever leaves the fetch that is handed over reaches nothing. */
const nowhere = 'http://model.invalid'

export function reachByFetch(responder: Responder, token: string): Reach {
  const baseUrl = `${nowhere}/${encodeURIComponent(token)}`
  return { baseUrl, fetch: createFetch(responder, baseUrl), close: () => undefined }
}

export const reachByServer =
  (server: HttpServer) =>
  (responder: Responder, token: string): Reach =>
    server.open(responder, token)

/** ms that handing over all of a session's answers takes over HTTP, at most. */
export const deliveryOverHttp = (script: SessionScript): number =>
  script.steps
    .flatMap((s) => (s.do === 'turn' ? s.rounds.flatMap((r) => r.attempts) : []))
    .reduce((ms) => ms + httpDeliveryMs(Number.POSITIVE_INFINITY), 0)
