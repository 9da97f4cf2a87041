// `npm run build`: dist/ from nothing. Compiles what is shipped and makes the command executable.
import { spawnSync } from 'node:child_process'
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
rmSync(join(root, 'dist'), { recursive: true, force: true })
const tsc = spawnSync(
  process.execPath,
  [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.build.json')],
  { cwd: root, stdio: 'inherit' },
)
if (tsc.status !== 0) {
  process.stderr.write('The build stopped: the compiler found the errors above.\n')
  process.exit(1)
}
chmodSync(join(root, 'dist/cli/main.js'), 0o755)
