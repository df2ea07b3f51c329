import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeAccount } from './data.ts'
import { tableOf } from './figure.ts'
import { importing, loadedAccount } from './import.ts'
import { reporting } from './report.ts'
import { startUp } from './start-up.ts'

/** Measures what speed users may rely on, each figure as a ratio to a physical limit of the same run. */
const folder = mkdtempSync(join(tmpdir(), 'kpi-bench-'))
process.env['KPI_CONFIG_DIR'] = join(folder, 'config')
try {
  const account = makeAccount(folder)
  const figures = [
    ...startUp(account),
    ...(await importing(folder, account)),
    ...reporting(await loadedAccount(folder, account)),
  ]
  process.stdout.write(`${tableOf(figures)}\n`)
  if (figures.some(({ ratio, limit }) => ratio > limit)) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
