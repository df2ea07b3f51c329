import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import suite from '../../../vitest.config.ts'

/** The folders whose tests run in process. */
const FOLDERS = 'blocks,changes,cli,client,codec,domain,export,loading,reading,runs,server,service,store,tabular'
/** What tests import that start processes: these run what is built, in which nothing is planted. */
const PROCESSES = /support\/(?:process|killer|hostile|two-machines|holders|terminal|shell-terminal)|spawn/

const wholeRuns = readdirSync('test/e2e')
  .map((name) => `test/e2e/${name}`)
  .filter((path) => !PROCESSES.test(readFileSync(path, 'utf8')))

/** The tests of the suite that run in process, for runs of which nobody reads a report. */
export default defineConfig({
  ...suite,
  test: {
    ...suite.test,
    include: [`test/{${FOLDERS}}/**/*.test.ts`, 'test/*-suite.test.ts', 'test/contract.test.ts', ...wholeRuns],
    // It starts servers in processes.
    exclude: ['test/server/contention.test.ts'],
    setupFiles: ['test/support/soak/mutants.setup.ts'],
    reporters: [{}],
    testTimeout: 30_000,
  },
})
