// `npm run bench -- [repair] [stream] [--quick] [--sizes BYTES,…] [--seed N] [--limit SECONDS] [--json FILE]`: side-by-side
// measurements. Only ratios of one run count.
import { writeFile } from 'node:fs/promises'
import { readOptions, type Subject, usage } from './options.ts'
import { benchRepair, showRepair } from './repair.ts'
import { benchStream, showStream } from './stream.ts'

const read = readOptions(process.argv.slice(2))
if ('wrong' in read) {
  process.stderr.write(`${read.wrong}\n${usage}\n`)
  process.exit(2)
}
const { options } = read
const tell = (line: string) => {
  if (process.stderr.isTTY) process.stderr.write(`${line}\n`)
}

const subjects: Record<Subject, () => Promise<{ result: object; text: string }>> = {
  async repair() {
    const result = await benchRepair(options, tell)
    return { result, text: showRepair(result) }
  },
  async stream() {
    const result = await benchStream(options, tell)
    return { result, text: showStream(result) }
  },
}

const results: Record<string, object> = {}
console.log(`node ${process.version}; by turns, the shortest of ${options.rounds} rounds; only ratios of one run count`)
for (const subject of options.subjects) {
  const { result, text } = await subjects[subject]()
  results[subject] = result
  console.log(`\n${text}`)
}
if (options.json !== undefined)
  await writeFile(options.json, `${JSON.stringify({ v: 1, node: process.version, ...results }, null, 2)}\n`)
