// What makes an offered tool fit to be sent at all: a legal name and an object for a schema. It must never judge what a tool does.
import { isObject, type Json, type OfferedTool, parseJson } from '../../contract/index.ts'

/** What strict servers of every dialect take for a tool's name. */
const legalName = /^[a-zA-Z0-9_-]{1,64}$/

/** The schema as it is sent, as JSON text; or why the tool has to be left out. */
export type Specified = { schema: string } | { unfit: string }
export type Specify = (offered: OfferedTool) => Specified

export const specify: Specify = ({ name, schema }) => {
  if (!legalName.test(name)) return { unfit: 'its name is not 1 to 64 letters, digits, _ or -' }
  const root = parseJson(schema)
  if (root === undefined) return { unfit: 'its schema is not JSON' }
  if (!isObject(root)) return { unfit: 'the root of its schema is not an object' }
  return objectRoot(root, schema)
}

/** A root that says `object` and has properties; the text stays as it is where it already does. */
function objectRoot(root: { [k: string]: Json }, text: string): Specified {
  const { type } = root
  const orNull = Array.isArray(type) && type.length <= 2 && type.includes('object') && type.every(isObjectOrNull)
  if (type !== undefined && type !== 'object' && !orNull)
    return { unfit: 'the root of its schema is not of type object' }
  if (type === 'object' && isObject(root.properties)) return { schema: text }
  try {
    return {
      schema: JSON.stringify({ ...root, type: 'object', properties: isObject(root.properties) ? root.properties : {} }),
    }
  } catch {
    return { unfit: 'its schema cannot be written as JSON' }
  }
}

const isObjectOrNull = (name: Json): boolean => name === 'object' || name === 'null'
