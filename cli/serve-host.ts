// `slotproof serve-host MODULE`: a Host module as a stdio program. Standard output belongs to the protocol: nothing else is written there.
import { Command } from 'commander'

export const serveHostCommand = (): Command =>
  new Command('serve-host')
    .description('Serve a Host module over stdio, one JSON-RPC message a line.')
    .argument('<module>', 'a module whose default export is a Host')
    .action(async (module: string) => {
      const { serveHost } = await import('../hosts/serve-host.ts')
      await serveHost(module)
    })
