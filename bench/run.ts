import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contending } from './contention.ts'
import { makeAccount } from './data.ts'
import { type Figure, tableOf } from './figure.ts'
import { gating } from './gate.ts'
import { importing, loadedAccount } from './import.ts'
import { onPostgres } from './postgres.ts'
import { pacing } from './pace.ts'
import { reporting } from './report.ts'
import { batching, reportingOverHttp, serving } from './serving.ts'
import { startUp } from './start-up.ts'
import { importingWide } from './wide.ts'

const folder = mkdtempSync(join(tmpdir(), 'kpi-bench-'))
process.env['KPI_CONFIG_DIR'] = join(folder, 'config')

const measureReports = async (account: string): Promise<Figure[]> => {
  const loaded = await loadedAccount(folder, account)
  return [...reporting(loaded), ...(await reportingOverHttp(folder, account, loaded))]
}

const measureServing = async (account: string): Promise<Figure[]> => {
  const embedded = { flags: ['--data-dir', account], account: 'default' }
  return [
    ...(await serving(embedded)),
    ...(await batching(embedded, 'SQLite', 100_000)),
    ...(await onPostgres()),
    ...(await contending(folder)),
  ]
}

const PARTS: Readonly<Record<string, (account: string) => Figure[] | Promise<Figure[]>>> = {
  start: startUp,
  import: (account) => importing(folder, account),
  wide: () => importingWide(folder),
  report: measureReports,
  serve: measureServing,
  pace: () => pacing(folder),
}

/**
 * Measures what speed users may rely on, each figure as a ratio to a physical limit of the same run: all parts, or those
 * that are named.
 */
const measure = async (wanted: readonly string[]): Promise<Figure[]> => {
  if (wanted.includes('gate')) return gating(folder)
  const account = makeAccount(folder)
  const figures: Figure[] = []
  for (const [name, part] of Object.entries(PARTS)) {
    if (wanted.length === 0 || wanted.includes(name)) figures.push(...(await part(account)))
  }
  return figures
}

try {
  const figures = await measure(process.argv.slice(2))
  process.stdout.write(`${tableOf(figures)}\n`)
  if (figures.some(({ ratio, limit }) => ratio > limit)) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
