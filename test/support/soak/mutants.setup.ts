import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll } from 'vitest'
import { ROOT } from '../documents.ts'
import { FOLDERS } from './mutated-folders.ts'

// Load at once what the program loads late: else Stryker takes what runs as a file is loaded for a part of one test.
for (const folder of FOLDERS) {
  for (const name of readdirSync(join(ROOT, 'src', folder), { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.ts') && !/-(?:thread|child)\.ts$/.test(name)) await import(join(ROOT, 'src', folder, name))
  }
}

/** Names what Stryker notes of a process: the mutants that each test has reached. */
type Noted = { readonly __stryker__?: { readonly mutantCoverage?: { readonly perTest: Record<string, unknown> } } }

// Test files share a process, and Stryker hands on with each one all that was noted in it so far, which takes gigabytes.
beforeAll(() => {
  const perTest = (globalThis as Noted).__stryker__?.mutantCoverage?.perTest ?? {}
  for (const name of Object.keys(perTest)) delete perTest[name]
})
