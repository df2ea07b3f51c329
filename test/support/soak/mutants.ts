import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { ROOT } from '../documents.ts'
import { temporaryFolder } from '../folder.ts'
import { createRandom } from '../random.ts'
import { FOLDERS } from './mutated-folders.ts'

/*
 * Faults planted in the sources, one at a time, which the tests that run in process have to notice. Stryker plants them,
 * and runs the tests that reach each. As a plugin of Stryker this file has it try only one fault a line, and only so many.
 */

/** Few lines have something to change that does not go on in the next. */
const LINES_A_MUTANT = 6
const LEAST_KILLED = 0.85

type Drawn = { readonly count: number; readonly seed: number; readonly lines: readonly string[] }
/** The variable that tells the processes of Stryker what was drawn. */
const DRAWN = 'KPI_TEST_MUTANTS'

const pathOf = (file: string): string => relative(ROOT, file).replaceAll('\\', '/')

/** Draws lines of the sources, each as likely as any other, as `path:line`. */
const drawLines = (count: number, seed: number): string[] => {
  const { whole } = createRandom(seed)
  const left = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, 'src', folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .toSorted()
      .map((name) => join(ROOT, 'src', folder, name)),
  ).flatMap((path) => {
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    return lines.map((_, at) => `${pathOf(path)}:${at + 1}`)
  })
  return Array.from({ length: count }, () => left.splice(whole(0, left.length - 1), 1)).flat()
}

type Mutant = {
  readonly id: string
  readonly fileName: string
  readonly location: { readonly start: { readonly line: number } }
}

/** Chooses one mutant of each line, as many as were asked for, in the order in which the lines were drawn. */
const chooseMutants = (mutants: readonly Mutant[], { count, seed, lines }: Drawn): Set<string> => {
  // Checkers get lines that begin at 0.
  const byLine = Map.groupBy(mutants, ({ fileName, location }) => `${pathOf(fileName)}:${location.start.line + 1}`)
  const chosen = lines.flatMap((line, at) => {
    const there = byLine.get(line)
    return there ? [createRandom(seed + at).pick(there).id] : []
  })
  return new Set(chosen.slice(0, count))
}

type Checked = { readonly status: 'passed' } | { readonly status: 'compileError'; readonly reason: string }

/** A checker of Stryker that only chosen mutants pass. */
class ChosenOnly {
  async init(): Promise<void> {}

  /** Has all mutants checked together. */
  async group(mutants: readonly Mutant[]): Promise<string[][]> {
    return [mutants.map(({ id }) => id)]
  }

  async check(mutants: readonly Mutant[]): Promise<Record<string, Checked>> {
    const chosen = chooseMutants(mutants, JSON.parse(process.env[DRAWN] ?? '') as Drawn)
    const checked = (id: string): Checked =>
      chosen.has(id) ? { status: 'passed' } : { status: 'compileError', reason: 'not drawn' }
    return Object.fromEntries(mutants.map(({ id }) => [id, checked(id)]))
  }
}

export const strykerPlugins = [{ kind: 'Checker', name: 'chosen-only', injectableClass: ChosenOnly }]

/** What becomes of a mutant; one that keeps the tests from ending, or fails beside them, is noticed, too. */
const NOTICED = { Killed: 'killed', Timeout: 'timed out', RuntimeError: 'failed beside a test' } as const
const UNNOTICED = { Survived: 'survived', NoCoverage: 'not covered' } as const
const ALL: Readonly<Record<string, string>> = { ...NOTICED, ...UNNOTICED }

/** Plants so many faults, tells of those that were not noticed, and answers 1 if they are too many. */
export const soakMutants = async (count = 100, seed = randomInt(2 ** 31)): Promise<number> => {
  process.stdout.write(`${count} mutants from seed ${seed}\n`)
  using folder = temporaryFolder()
  const lines = drawLines(count * LINES_A_MUTANT, seed)
  process.env[DRAWN] = JSON.stringify({ count, seed, lines } satisfies Drawn)
  process.env['KPI_TEST_DRAW'] = String(seed)
  const { Stryker } = await import('@stryker-mutator/core')
  const results = await new Stryker({
    mutate: lines.map((line) => `${line}-${line.slice(line.lastIndexOf(':') + 1)}`),
    checkers: ['chosen-only'],
    plugins: ['@stryker-mutator/vitest-runner', import.meta.filename],
    testRunner: 'vitest',
    vitest: { configFile: 'test/support/soak/mutants.config.ts' },
    coverageAnalysis: 'perTest',
    // What runs once, as a file is loaded, no test has for itself: to try it takes all tests, for minutes each.
    ignoreStatic: true,
    concurrency: availableParallelism(),
    timeoutMS: 10_000,
    dryRunTimeoutMinutes: 30,
    testRunnerNodeArgs: ['--max-old-space-size=8192'],
    disableTypeChecks: false,
    // It would be rewritten by what TypeScript 7 does not have.
    tsconfigFile: 'none',
    tempDirName: folder.path,
    reporters: ['progress-append-only'],
    allowConsoleColors: false,
  }).runMutationTest()
  const tried = results.filter(({ status }) => status in ALL)
  const isKilled = ({ status }: { readonly status: string }): boolean => status in NOTICED
  for (const folder of FOLDERS) {
    const there = tried.filter(({ fileName }) => pathOf(fileName).startsWith(`src/${folder}/`))
    const became = Map.groupBy(there, ({ status }) => ALL[status])
    const parts = [...became].map(([what, some]) => `${some.length} ${what}`).toSorted()
    process.stdout.write(`${folder}: ${there.length} mutants${parts.length > 0 ? `: ${parts.join(', ')}` : ''}\n`)
  }
  for (const { fileName, location, status, mutatorName, replacement } of tried.filter((one) => !isKilled(one))) {
    const place = `${pathOf(fileName)}:${location.start.line}:${location.start.column}`
    process.stdout.write(`${place} ${ALL[status]}: ${mutatorName} → ${replacement}\n`)
  }
  const killed = tried.filter(isKilled).length
  process.stdout.write(`${killed} of ${tried.length} mutants from seed ${seed} killed\n`)
  return killed < LEAST_KILLED * tried.length ? 1 : 0
}
