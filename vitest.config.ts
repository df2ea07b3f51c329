import { resolve } from 'node:path'
import { build } from 'rolldown'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { leanTable, plainWidth } from './rolldown.config.ts'
import { RunReporter } from './test/gate/reporter.ts'

/** The files that take longest, which begin first: one that begins last keeps a single processor busy. */
const LONGEST = [
  'e2e/hostile-files',
  'e2e/import-killed-at-any-moment',
  'docs',
  'server/contention',
  'e2e/import-continues-after-kills',
  'e2e/entries-undo-stopped',
  'contract',
  'loading/third-party/third-party',
  'e2e/import-journal',
  'e2e/report-faults',
  'e2e/package',
  'page',
  'classic-suite',
  'e2e/run-job-outage',
  'e2e/addresses-hide-secrets',
  'tabular/database/query-table',
  'service/runs',
  'e2e/copy-killed',
  'e2e/cli-terminal',
  'cli/examples',
].map((name) => `/${name}.test.ts`)

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = LONGEST.findIndex((name) => moduleId.endsWith(name))
  return rank < 0 ? LONGEST.length : rank
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((left, right) => rankOf(left) - rankOf(right))
  }
}

/** The package that draws tables as the program's bundle has it, with which it is faster by far. */
const TABLES = resolve('node_modules/.cache/kpi-tables.mjs')
await build({ input: 'cli-table3', platform: 'node', plugins: [plainWidth, leanTable], output: { file: TABLES } })

export default defineConfig({
  resolve: { alias: { 'cli-table3': TABLES } },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/run-folder.ts', 'test/support/postgres.ts'],
    reporters: ['default', new RunReporter()],
    sequence: { sequencer: LongestFirst },
    // To start a process for each file and load everything anew would take a fifth of the time.
    isolate: false,
    // Many tests wait for processes and sockets more than they compute.
    maxWorkers: 3,
    // A process that runs many files makes much that is garbage at once, and collects it less often with more room.
    // The threads in which mutants are tried take no such flags.
    execArgv: process.env['KPI_TEST_MUTANTS'] ? [] : ['--min-semi-space-size=32', '--max-semi-space-size=32'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
