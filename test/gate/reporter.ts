import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Reporter, TestModule, TestSpecification } from 'vitest/node'
import { ROOT } from '../support/documents.ts'

/** What a run of the tests came to. Paths are relative to the project. */
export type RunReport = {
  readonly files: readonly { readonly path: string; readonly state: string }[]
  readonly found: number
  readonly passed: number
  readonly failed: number
  readonly unhandledErrors: readonly string[]
  readonly outcome: 'passed' | 'interrupted' | 'failed'
}

// A clean install removes it.
const REPORT = join(ROOT, 'node_modules', '.vitest', 'run.json')

/** Reads what the last run came to; undefined where the runner ended before it could say so. */
export const readReport = (): RunReport | undefined => {
  try {
    return JSON.parse(readFileSync(REPORT, 'utf8')) as RunReport
  } catch {
    return undefined
  }
}

export const removeReport = (): void => rmSync(REPORT, { force: true })

/** Returns why a run is not to be trusted, one line a reason; none where each of its tests passed, and each file that there is ran. */
export const faultsOf = (report: RunReport | undefined, files: readonly string[] = []): string[] => {
  if (!report) return ['the runner ended without a report']
  const { found, passed, unhandledErrors, outcome } = report
  const stateOf = new Map(report.files.map(({ path, state }) => [path, state]))
  const notPassed = files.filter((path) => stateOf.get(path) !== 'passed')
  return [
    ...notPassed.map((path) => `${path}: ${stateOf.get(path) ?? 'not run'}`),
    ...unhandledErrors.map((error) => `unhandled: ${error}`),
    ...(found === 0 ? ['no test was found'] : []),
    ...(passed === found ? [] : [`${passed} of ${found} tests passed`]),
    ...(outcome === 'passed' ? [] : [`the run ${outcome}`]),
  ]
}

/** Writes down, for the gate, what a run of the tests came to, without relying on the runner's exit code. */
export class RunReporter implements Reporter {
  private paths: readonly string[] = []

  onInit(): void {
    removeReport()
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.paths = specifications.map(({ moduleId }) => moduleId)
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly { readonly message: string }[],
    outcome: RunReport['outcome'],
  ): void {
    const states = new Map(modules.map((module) => [module.moduleId, module.state()]))
    const tests = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state))
    const report: RunReport = {
      files: this.paths.map((path) => ({ path: relative(ROOT, path), state: states.get(path) ?? 'not run' })),
      found: tests.length,
      passed: tests.filter((state) => state === 'passed').length,
      failed: tests.filter((state) => state === 'failed').length,
      unhandledErrors: errors.map(({ message }) => message),
      outcome,
    }
    mkdirSync(dirname(REPORT), { recursive: true })
    writeFileSync(REPORT, JSON.stringify(report))
  }
}
