import { globSync } from 'node:fs'
import { ROOT } from '../support/documents.ts'
import { faultsOf, readReport, removeReport } from './reporter.ts'

/*
 * Checks, after the suite, that each test of each test file on the disk passed and that no error was unhandled. It reads
 * the runner's report, so that a runner that ends with the wrong exit code does not let a failure through. A report counts
 * once.
 */

const report = readReport()
removeReport()
const faults = faultsOf(report, globSync('test/**/*.test.ts', { cwd: ROOT }))
for (const fault of faults) process.stdout.write(`${fault}\n`)
process.stdout.write(`${report?.passed ?? 0} passed, ${report?.failed ?? 0} failed\n`)
process.exitCode = faults.length > 0 ? 1 : 0
