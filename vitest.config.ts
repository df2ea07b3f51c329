import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { RunReporter } from './test/gate/reporter.ts'

/** The files that take longest, which begin first: one that begins last keeps a single processor busy. */
const LONGEST = [
  'e2e/import-killed',
  'load/simulation',
  'contract',
  'e2e/load',
  'server/fuzz',
  'client/pace',
  'classic-suite',
  'service/report',
  'cli/examples',
  'e2e/backup-restore',
  'e2e/import-kill',
  'v1-suite',
].map((name) => `/test/${name}.test.ts`)

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

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/run-folder.ts', 'test/support/postgres.ts'],
    reporters: ['default', new RunReporter()],
    sequence: { sequencer: LongestFirst },
    // Many tests wait for processes and sockets more than they compute.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
