import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changesToText, type EntryChange } from '../../../src/domain/entry-changes.ts'
import { compareKeys, type EntryKey } from '../../../src/domain/entry-key.ts'
import { entriesPath, readUndoReceipt, type UndoReceipt } from '../../../src/runs/entries/receipt.ts'
import { changesByPart, runOf } from '../../../src/loading/undo/undone-run.ts'
import { type Folder, temporaryFolder } from '../../support/folder.ts'

const created = (key: EntryKey): EntryChange => ({ key, before: undefined, after: { actual: 1n } })

const partOf = (folder: Folder, at: number, keys: readonly EntryKey[]): UndoReceipt => {
  const path = folder.in(`2026010${at}T000000-aaaaaa.receipt.jsonl`)
  const head = { service: 's', file: 'data.csv', at: `2026-01-0${at}T00:00:00.000Z` }
  writeFileSync(path, `${JSON.stringify(head)}\n${JSON.stringify({ journal: 'j', run: 'r' })}\n`)
  writeFileSync(entriesPath(path), changesToText(keys.map(created)))
  return readUndoReceipt(path)
}

/** Reads parts some changes at a time; returns the keys of each such some, and whether it is said to be shared. */
const read = async (parts: readonly (readonly EntryKey[])[], most: number) => {
  using folder = temporaryFolder()
  const receipts = parts.map((keys, at) => partOf(folder, at + 1, keys))
  const [first] = receipts
  if (!first) throw new Error('a run has a part')
  const seen: { readonly keys: string[]; readonly isShared: boolean; readonly part: string }[] = []
  const run = { ...runOf(first, receipts), storedAnew: new Set<string>() }
  for await (const { part, changes, isShared } of changesByPart(run, most))
    seen.push({ keys: changes.map(({ key }) => key.join('/')), isShared, part: part.name })
  return seen
}

const aKey = fc.tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 9 }))
const somePart = fc.uniqueArray(aKey, { maxLength: 20, selector: (key) => key.join('/') })

test('what two parts of a run hold is said to be shared, in whatever order they have it', async () => {
  const property = fc.asyncProperty(
    fc.array(somePart, { minLength: 1, maxLength: 3 }),
    fc.integer({ min: 1, max: 6 }),
    async (parts, most) => {
      const seen = await read(parts, most)
      expect(seen.flatMap(({ keys }) => keys).toSorted()).toEqual(
        parts
          .flat()
          .map((key) => key.join('/'))
          .toSorted(),
      )
      for (const { keys, isShared, part } of seen) {
        const others = new Set(seen.filter((one) => one.part !== part).flatMap((one) => one.keys))
        expect(isShared || !keys.some((key) => others.has(key))).toBe(true)
      }
    },
  )
  await fc.assert(property, { numRuns: 60 })
})

test('of parts that follow each other little is shared, however many entries they have', async () => {
  const keys = Array.from({ length: 3000 }, (_, at): EntryKey => [1, 1 + Math.floor(at / 1000), at % 1000]).toSorted(
    compareKeys,
  )
  const seen = await read([keys.slice(0, 1900), keys.slice(1850, 2100), keys.slice(2100)], 100)
  expect(seen.filter(({ isShared }) => isShared).length).toBeLessThanOrEqual(3)
  const inTurn = (some: readonly EntryKey[]): EntryKey[] => [
    ...some.filter((_, at) => at % 2),
    ...some.filter((_, at) => !(at % 2)),
  ]
  const apart = await read([inTurn(keys.slice(0, 1500)), inTurn(keys.slice(1500))], 100)
  expect(apart.filter(({ isShared }) => isShared)).toEqual([])
})
