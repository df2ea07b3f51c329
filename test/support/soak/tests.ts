import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ROOT } from '../documents.ts'

/*
 * Test files of the suite, run with more cases than the suite has time for.
 */

const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')

/** Whether a soak runs this test file, which then tries every case that it has. */
export const IS_SOAK = process.env['SOAK'] === '1'

/**
 * Returns a filter that keeps one of so many cases, other ones in each row of a table, so that all rows and columns come;
 * a soak keeps all.
 */
export const oneIn =
  (parts: number, row = 0) =>
  (_: unknown, at: number): boolean =>
    IS_SOAK || (at + row) % parts === 0

/** Runs test files as a soak. Returns 0 if all passed, else 1. */
const soakTests = async (files: readonly string[], env: Readonly<Record<string, string>>): Promise<number> => {
  const paths = files.map((name) => `test/${name}.test.ts`)
  const child = spawn(process.execPath, [VITEST, 'run', ...paths], {
    cwd: ROOT,
    env: { ...process.env, SOAK: '1', ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return code === 0 ? 0 : 1
}

const KILLED = ['e2e/import-killed-at-any-moment', 'e2e/import-continues-after-kills']

/** Kills about so many imports at any moment, and a fifth as many imports of 200,000 rows. */
export const soakKills = (count = 210, first = 1_000_001): Promise<number> =>
  soakTests(KILLED, { KILLS: String(count), SEED: String(first) })

/** Compares the reports of so many drawn accounts with a slow model, on SQLite, and of a third as many on PostgreSQL. */
export const soakReports = (count = 1000, first = 1_000_001): Promise<number> =>
  soakTests(['service/report'], { RUNS: String(count), SEED: String(first) })

const COMBINED = [
  'contract',
  'classic-suite',
  'client/rate-limit',
  'server/contention',
  'e2e/read-after-write',
  'e2e/read-places',
  'e2e/written-places',
  'e2e/cli-every-command',
]

/** Runs the tests of which the suite has some combinations only, such as of interface, transport and database, with all. */
export const soakCombinations = (): Promise<number> => soakTests(COMBINED, {})

/** Ends whatever holds a command in every way. */
export const soakHolders = (): Promise<number> => soakTests(['e2e/everything-ends'], {})
