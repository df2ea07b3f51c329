import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/documents.ts'
import { startCluster } from '../support/postgres.ts'
import { faultsOf, readReport, removeReport } from './reporter.ts'

/*
 * Tests the gate itself: runs tests that fail, each in another way, and fails unless every run ends with an exit code
 * other than 0 and its report says what is wrong. A run that passes is there for comparison.
 */

/** The files of tests that fail, and what the report has to say of them. */
const FAILING: Readonly<Record<string, string>> = {
  assertion: '0 of 1 tests passed',
  'thrown-later': 'unhandled: thrown after the test',
  'after-all': 'the run failed',
  unloadable: 'no test was found',
  'no-test': 'no test was found',
  'before-all': '0 of 1 tests passed',
  suite: 'no test was found',
  'killed-worker': 'unhandled: [vitest-pool]: Worker forks emitted error.',
  'no-such-file': 'no test was found',
}

type Environment = Readonly<Record<string, string | undefined>>

/** How a run ended: its exit code, and the first fault that its report tells. */
type End = { readonly code: number | null; readonly fault: string | undefined; readonly output: string }

/** Runs one file of tests by the script that `npm test` ends with. */
const runFixture = (name: string, env: Environment): End => {
  removeReport()
  const args = ['run', 'suite', '--', '--config', 'test/gate/vitest.config.ts', `fixtures/${name}.fixture`]
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8', env })
  return { code: status, fault: faultsOf(readReport())[0], output: `${stdout}${stderr}` }
}

let isRight = true

/** Says how a run ended, and whether that is how it has to end. */
const expectEnd = (what: string, { code, fault, output }: End, isToFail: boolean, expected?: string): void => {
  const isAsExpected = code !== null && code > 0 === isToFail && fault === expected
  process.stdout.write(`${isAsExpected ? 'ok' : 'WRONG'}  ${what}: exit ${code}, ${fault ?? 'nothing wrong'}\n`)
  if (!isAsExpected) process.stdout.write(output)
  isRight &&= isAsExpected
}

/** Tells whether `npm test` ends as the suite does: the suite is the last of its commands, each of which has to succeed. */
const endsWithSuite = (): boolean => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  return /^(?:npm run \w+ && )+npm run suite --$/.test(scripts['test'] ?? '')
}

const { KPI_TEST_POSTGRES_URL: given, ...own } = process.env
const cluster = given === undefined ? await startCluster([]) : undefined
// A PostgreSQL of its own takes a run seconds: the others are given one.
const withGiven = { ...own, KPI_TEST_POSTGRES_URL: given ?? cluster?.url }
try {
  expectEnd('passing', runFixture('passing', own), false)
  expectEnd('assertion', runFixture('assertion', own), true, FAILING['assertion'])
  expectEnd('passing, PostgreSQL given', runFixture('passing', withGiven), false)
  for (const [name, fault] of Object.entries(FAILING))
    expectEnd(`${name}, PostgreSQL given`, runFixture(name, withGiven), true, fault)
  // A test that is skipped is no failure to the runner: only the report tells.
  expectEnd('skipped', runFixture('skipped', withGiven), false, '1 of 2 tests passed')
  if (!endsWithSuite()) {
    process.stdout.write('WRONG  npm test: the suite is not the last of its commands\n')
    isRight = false
  }
} finally {
  await cluster?.stop()
}
process.exitCode = isRight ? 0 : 1
