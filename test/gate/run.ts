import { spawnSync } from 'node:child_process'
import { ROOT } from '../support/documents.ts'
import { startCluster } from '../support/postgres.ts'
import { faultsOf, readReport, removeReport } from './reporter.ts'

/*
 * Tests the gate itself: runs tests that fail, each in another way, and fails unless every run ends with an exit code
 * other than 0 and its report says what is wrong. A run that passes is there for comparison.
 */

/** Tests that fail, each in another way, by the names of their files. */
const FAILING = ['assertion', 'thrown-later', 'after-all', 'unloadable', 'no-test']
const FAILING_ALSO = ['before-all', 'suite', 'killed-worker', 'no-such-file']

type Environment = Readonly<Record<string, string | undefined>>

/** Runs one fixture by an npm script; returns the exit code and what the report says. */
const runFixture = (script: readonly string[], name: string, env: Environment) => {
  removeReport()
  const args = [...script, '--', '--config', 'test/gate/vitest.config.ts', `fixtures/${name}.fixture`]
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8', env })
  return { code: status, faults: faultsOf(readReport(), []), output: `${stdout}${stderr}` }
}

let failed = 0

type End = ReturnType<typeof runFixture>

/** Says how a run ended, and counts it where that is not how it has to end. */
const expectEnd = (what: string, { code, faults, output }: End, isRight: (end: End) => boolean): void => {
  const isAsExpected = isRight({ code, faults, output })
  process.stdout.write(`${isAsExpected ? 'ok' : 'WRONG'}  ${what}: exit ${code}, ${faults[0] ?? 'nothing wrong'}\n`)
  if (isAsExpected) return
  failed += 1
  process.stdout.write(output)
}

const fails = ({ code, faults }: End): boolean => code !== 0 && faults.length > 0
const passes = ({ code, faults }: End): boolean => code === 0 && faults.length === 0
/** A test that is skipped is no failure to the runner: only the report tells. */
const isReported = ({ code, faults }: End): boolean => code === 0 && faults.length > 0

const SUITE = ['run', 'suite']
const { KPI_TEST_POSTGRES_URL: given, ...own } = process.env
const cluster = given === undefined ? await startCluster([]) : undefined
const shared = { ...own, KPI_TEST_POSTGRES_URL: given ?? cluster?.url }
try {
  expectEnd('passing', runFixture(SUITE, 'passing', own), passes)
  for (const name of [...FAILING, ...FAILING_ALSO]) expectEnd(name, runFixture(SUITE, name, own), fails)
  for (const name of FAILING) expectEnd(`${name}, with a given PostgreSQL`, runFixture(SUITE, name, shared), fails)
  expectEnd('skipped', runFixture(SUITE, 'skipped', own), isReported)
  expectEnd('assertion, by the whole of npm test', runFixture(['test'], 'assertion', own), fails)
} finally {
  await cluster?.stop()
}
process.exitCode = failed > 0 ? 1 : 0
