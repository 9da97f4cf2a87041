// The reference with one fault planted, as a host module: `faults/host.ts?fault=ID`.
import { createReference, defaultParts } from '../reference/index.ts'
import { faults } from './index.ts'

const id = new URL(import.meta.url).searchParams.get('fault')
const fault = faults.find((f) => f.id === id)
if (!fault) throw new Error(`There is no planted fault ${JSON.stringify(id)}: name one by ?fault=ID.`)

export default createReference({ ...defaultParts, ...fault.plant(defaultParts) })
