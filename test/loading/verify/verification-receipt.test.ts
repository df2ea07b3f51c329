import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emptySummary } from '../../../src/reading/entries/summary.ts'
import type { ImportOptions } from '../../../src/reading/options/options.ts'
import { writeVerificationReceipt } from '../../../src/loading/verify/verification-receipt.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { importOptions } from '../../support/import-options.ts'

type Written = { readonly options: Readonly<Record<string, object | undefined>> }

const mapIn = (written: object | undefined): ReadonlyMap<string, string> | undefined =>
  written && new Map(Object.entries(written as Readonly<Record<string, string>>))

const setIn = (written: object | undefined): ReadonlySet<unknown> | undefined =>
  written && new Set(written as readonly unknown[])

/** Reads the options of a receipt, as somebody does who has only the receipt. */
const optionsIn = ({ options }: Written): object => ({
  ...options,
  map: mapIn(options['map']),
  mapKpi: mapIn(options['mapKpi']),
  percent: mapIn(options['percent']),
  scale: mapIn(options['scale']),
  numbersAs: mapIn(options['numbersAs']),
  missing: setIn(options['missing']),
  create: options['create'] && {
    ...options['create'],
    kinds: setIn((options['create'] as Written['options'])['kinds']),
  },
})

test('a receipt holds all options of the run', async () => {
  using folder = temporaryFolder()
  const receiptPath = folder.in('data.receipt.json')
  const verify = {
    receiptPath,
    place: { service: 'data', profile: null, login: null },
    receiptFile: receiptPath,
    rejectsFile: 'data.rejects.csv',
  }
  const table = { name: 'data.csv', bytes: 1, sha256: 'a', mode: 0o600 }
  const verified = { compared: 0, equal: 0, leftAlone: 0, notCompared: 0, first: [] }
  async function* noDifferences() {}
  const written = async (options: ImportOptions): Promise<Written> => {
    const about = { table, options, summary: emptySummary(), verify, at: 0, variant: 'v1' } as const
    await writeVerificationReceipt(about, verified, noDifferences())
    return JSON.parse(readFileSync(receiptPath, 'utf8')) as Written
  }
  await fc.assert(
    fc.asyncProperty(importOptions(), async (options) => {
      expect(optionsIn(await written(options))).toEqual(options)
    }),
  )
})
