import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../documents.ts'
import { createRandom } from '../random.ts'

/*
 * Test files of the suite, run with more cases than the suite has time for.
 */

const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')

/** Whether a soak runs this test file, which then tries every case that it has. */
export const IS_SOAK = process.env['SOAK'] === '1'

/** What decides which cases are drawn; a run that has to have the same ones as another is given it. */
const DRAW = Number(process.env['KPI_TEST_DRAW'] ?? randomInt(2 ** 31))

/** How many cases are drawn: so many in the suite, or as many as a soak has time for. */
export const runs = (ofSuite: number, ofSoak: number): number => (IS_SOAK ? ofSoak : ofSuite)

/** Returns so many of the cases, in their order, other ones in each run of the suite; a soak has all. */
export const some = <T>(count: number, cases: readonly T[]): readonly T[] => {
  const left = cases.map((_, at) => at)
  const { whole } = createRandom(DRAW + cases.length)
  const drawn = new Set(Array.from({ length: count }, () => left.splice(whole(0, left.length - 1), 1)[0]))
  return IS_SOAK ? cases : cases.filter((_, at) => drawn.has(at))
}

/**
 * Returns a filter that keeps one of so many cases, other ones in each row of a table, so that all rows and columns come,
 * and other ones in each run of the suite; a soak keeps all.
 */
export const oneIn =
  (parts: number, row = 0) =>
  (_: unknown, at: number): boolean =>
    IS_SOAK || (at + row + DRAW) % parts === 0

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
const REPORTS = ['service/report']
const HOLDERS = ['e2e/everything-ends']

/** Kills about so many imports at any moment, and a fifth as many imports of 200,000 rows. */
export const soakKills = (count = 210, first = 1_000_001): Promise<number> =>
  soakTests(KILLED, { KILLS: String(count), SEED: String(first) })

/** Compares the reports of so many drawn accounts with a slow model, on SQLite, and of a third as many on PostgreSQL. */
export const soakReports = (count = 1000, first = 1_000_001): Promise<number> =>
  soakTests(REPORTS, { RUNS: String(count), SEED: String(first) })

/** The test files of which the suite draws some cases only, but those that another soak runs: they import this file, or its ways. */
const drawing = (): string[] => {
  const folder = join(ROOT, 'test')
  const others = new Set([...KILLED, ...REPORTS, ...HOLDERS])
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => /soak\/tests\.ts'|\beveryWay\b/.test(readFileSync(join(folder, path), 'utf8')))
    .map((path) => path.replace('.test.ts', '').replaceAll('\\', '/'))
    .filter((name) => !others.has(name))
}

/** Runs the tests of which the suite has some cases only, such as of interface, transport and database, with all. */
export const soakCombinations = (): Promise<number> => soakTests(drawing(), {})

/** Ends whatever holds a command in every way. */
export const soakHolders = (): Promise<number> => soakTests(HOLDERS, {})
