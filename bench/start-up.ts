import { kpi, node, timesOf } from './command.ts'
import type { Figure } from './figure.ts'

const ROUNDS = 21

/** What starting costs beyond an empty Node.js. */
export const startUp = (dataDir: string): Figure[] => {
  const times = timesOf(
    {
      bare: node('-e', '0'),
      version: kpi('--version'),
      list: kpi('--data-dir', dataDir, 'kpis', 'list', '--limit', '10'),
    },
    ROUNDS,
  )
  const against = `bare node ${times.bare.toFixed(0)} ms`
  return [
    {
      what: 'kpi --version',
      measured: times.version,
      unit: 'ms',
      against,
      ratio: times.version / times.bare,
      limit: 1.3,
    },
    { what: 'kpi kpis list', measured: times.list, unit: 'ms', against, ratio: times.list / times.bare, limit: 2.5 },
  ]
}
