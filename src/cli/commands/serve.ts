import { Option } from 'commander'
import { isLoopback } from '../../client/loopback.ts'
import type { Cli, Register } from '../cli.ts'
import { addExamples } from '../examples.ts'
import { UsageError } from '../exit.ts'
import { addStoreFlag } from '../operator.ts'

const DEFAULT_PORT = 8321
const LAST_PORT = 65_535

const readPort = (text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN
  if (port <= LAST_PORT) return port
  throw new UsageError(`--port ${text} is not a port; there are 0 to ${LAST_PORT}`)
}

const mustBeLoopback = (host: string): void => {
  if (isLoopback({ hostname: host.includes(':') ? `[${host}]` : host })) return
  throw new UsageError(`${host} is not this machine alone, and plain HTTP is not served beyond it; use 127.0.0.1`)
}

/** `kpi serve` */
export const serve: Register = (group, act) => {
  group
    .addOption(new Option('--host <address>', 'the address to listen on').default('127.0.0.1'))
    .addOption(new Option('--port <n>', 'the port; 0 takes a free one').default(String(DEFAULT_PORT)))
  addStoreFlag(group)
  addExamples(group, 'serve', 'serve --port 0 --data-dir ./kpi-data')
  act(group, async (cli: Cli, _, options) => {
    const [host, port] = [String(options['host']), readPort(String(options['port']))]
    mustBeLoopback(host)
    const { runServer } = await import('../serve.ts')
    await runServer(cli, host, port)
  })
}
