import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyFile, importGenerated } from '../support/generated/import-generated.ts'

test('a file in any form is read as it is meant, or stopped until flags say what it means', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(anyFile, async (file) => {
      seen.add(await importGenerated(file))
    }),
    { numRuns: 25, seed: 18 },
  )
  expect([...seen].toSorted()).toEqual(['at once', 'with flags'])
})
