import { type Command, kpi, node, timesOf } from './command.ts'
import type { Figure } from './figure.ts'
import { serve } from './serving.ts'

const ROUNDS = 21

/** The longest of all helps is that of the import. A list shows the 50 KPIs of the data. */
const linesOn = (dataDir: string): Record<string, readonly [line: readonly string[], limit: number]> => ({
  'kpi --version': [['--version'], 1.2],
  'kpi --help': [['--help'], 1.8],
  'kpi kpis list --help': [['kpis', 'list', '--help'], 1.8],
  'kpi entries import --help': [['entries', 'import', '--help'], 1.8],
  'kpi kpis list -o json': [['--data-dir', dataDir, 'kpis', 'list', '-o', 'json'], 1.8],
  'kpi kpis list': [['--data-dir', dataDir, 'kpis', 'list'], 2.2],
  'kpi completion bash': [['completion', 'bash'], 2.5],
  'what a shell asks at a tab': [['__complete', 'kpis', ''], 2.5],
})

/** The list of a service on this machine, over HTTP. */
const REMOTE: Readonly<Record<string, readonly [line: readonly string[], limit: number]>> = {
  'kpi kpis list -o json over HTTP': [['kpis', 'list', '-o', 'json'], 4],
  'kpi kpis list over HTTP': [['kpis', 'list'], 4],
}

/** What starting costs beyond an empty Node.js. */
export const startUp = async (dataDir: string): Promise<Figure[]> => {
  const lines = linesOn(dataDir)
  const commands: Record<string, Command> = { bare: node('-e', '0') }
  for (const [what, [line]] of Object.entries(lines)) commands[what] = kpi(...line)
  const server = await serve({ flags: ['--data-dir', dataDir], account: 'default' })
  for (const [what, [line]] of Object.entries(REMOTE)) commands[what] = { ...kpi(...line), env: server.env }
  const { bare: least = NaN, ...times } = timesOf(commands, ROUNDS)
  server.stop()
  return Object.entries({ ...lines, ...REMOTE }).map(([what, [, limit]]) => {
    const measured = times[what] ?? NaN
    return { what, measured, unit: 'ms', against: `bare node ${least.toFixed(0)} ms`, ratio: measured / least, limit }
  })
}
