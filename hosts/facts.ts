// What a host says of itself, checked before anything is judged by it. A wrong word here is one sentence for whoever wrote the host.
import { dialects, type Facts, features, isObject, type Json } from '../contract/index.ts'
import { clip, HostError } from './errors.ts'

const profiles = ['core', 'governed', 'economy']
const sights = ['calls', 'requests', 'text', 'notices', 'approvals', 'spans', 'files', 'net']
const probes = ['arguments', 'names', 'schema', 'fingerprint', 'approval', 'truncate'].map((p) => `probe:${p}`)

/** The facts, with what may be left out filled in. Throws HostError for what makes no sense. */
export function checkFacts(said: unknown): Facts {
  const wrong = (what: string): never => {
    throw new HostError(`describe() of the host is not right: ${what}.`)
  }
  if (!isObject(said)) return wrong(`it must give an object, not ${clip(JSON.stringify(said) ?? String(said), 60)}`)
  if (said.protocol !== 1) wrong(`protocol must be 1, not ${clip(JSON.stringify(said.protocol) ?? 'absent', 40)}`)
  const words = (field: string, allowed: readonly string[]): string[] => {
    const value: Json = said[field] ?? []
    if (!Array.isArray(value)) return wrong(`${field} must be a list`)
    for (const word of value)
      if (typeof word !== 'string' || !allowed.includes(word))
        wrong(`${field} holds ${clip(JSON.stringify(word), 60)}, known are ${allowed.join(', ')}`)
    return value as string[]
  }
  const spoken = words('dialects', dialects)
  if (spoken.length === 0) wrong(`dialects must name at least one of ${dialects.join(', ')}`)
  const can = isObject(said.can) ? said.can : {}
  const count = (field: string, otherwise: number): number => {
    const value = can[field]
    if (value === undefined) return otherwise
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1)
      return wrong(`can.${field} must be a whole number from 1`)
    return value
  }
  const figures = isObject(said.figures) ? said.figures : {}
  for (const [name, value] of Object.entries(figures))
    if (typeof value !== 'number' || !(value >= 0)) wrong(`figures.${clip(name, 40)} must be a number from 0`)
  return {
    protocol: 1,
    name: typeof said.name === 'string' && said.name !== '' ? said.name : wrong('name must be a text'),
    version: typeof said.version === 'string' ? said.version : '0',
    profiles: words('profiles', profiles) as Facts['profiles'],
    dialects: spoken as Facts['dialects'],
    features: words('features', features),
    sights: words('sights', [...sights, ...probes]) as Facts['sights'],
    figures: figures as Facts['figures'],
    roles: (isObject(said.roles) ? said.roles : {}) as Facts['roles'],
    can: {
      turns: count('turns', 1),
      sessions: count('sessions', 1),
      parallel: count('parallel', 1),
      restart: can.restart === true,
      resume: can.resume === true,
      tunnel: can.tunnel === true,
    },
  }
}
