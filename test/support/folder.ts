import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of a test's own, gone when the test is over: `using folder = temporaryFolder()`. */
export type Folder = { readonly path: string; readonly in: (name: string) => string } & Disposable

export const temporaryFolder = (): Folder => {
  const path = mkdtempSync(join(tmpdir(), 'kpi-test-'))
  return {
    path,
    in: (name) => join(path, name),
    [Symbol.dispose]: () => {
      rmSync(path, { recursive: true, force: true })
    },
  }
}
