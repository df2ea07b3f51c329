import { formatDay } from '../../domain/day.ts'
import type { Variant } from '../../domain/variants.ts'
import type { Summary } from '../../reading/entries/summary.ts'
import type { ImportOptions } from '../../reading/options/options.ts'
import { writeWhole } from '../../files/write-file.ts'
import type { Table } from '../../tabular/source/table.ts'
import type { Difference, Verification } from './verified.ts'
import type { VerificationOptions } from '../prepare/import-types.ts'

/** Holds what a receipt says about the run. */
type About = {
  readonly table: Pick<Table, 'name' | 'bytes' | 'sha256' | 'mode'>
  readonly options: ImportOptions
  readonly summary: Summary
  readonly verify: VerificationOptions
  readonly at: number
  readonly variant: Variant
}

/** Sets the version of the receipt's format. */
const RECEIPT = 1

/** Replaces what JSON does not have: a map becomes an object, and a set a list. */
const plainValue = (_: string, value: unknown): unknown => {
  if (value instanceof Map) return Object.fromEntries(value)
  return value instanceof Set ? [...value] : value
}

/** Returns the counts of a run; `unknown` is only for dry runs. */
const summaryJson = (summary: Summary): object =>
  Object.fromEntries(Object.entries(summary).filter(([name]) => name !== 'unknown'))

const headOf = ({ table, options, summary, verify, at, variant }: About): object => ({
  receipt: RECEIPT,
  file: { name: table.name, bytes: table.bytes, sha256: table.sha256 },
  ...verify.place,
  variant,
  verified_at: `${new Date(at).toISOString().slice(0, 19)}Z`,
  options,
  summary: summaryJson(summary),
  rejects_file: summary.rejected > 0 ? verify.rejectsFile : null,
})

const differenceJson = ({ line, owner, kpi, day, field, expected, found }: Difference): string =>
  JSON.stringify({
    line,
    user_id: owner > 0 ? owner : null,
    source_id: owner < 0 ? -owner : null,
    kpi_id: kpi,
    entry_date: formatDay(day),
    field,
    expected,
    found,
  })

async function* textOf(
  about: About,
  verified: Verification,
  differences: AsyncIterable<readonly Difference[]>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(headOf(about), plainValue, 2).slice(0, -2)},\n  "differences": [`
  let separator = '\n    '
  for await (const found of differences) {
    for (const one of found) {
      yield separator + differenceJson(one)
      separator = ',\n    '
    }
  }
  // Their number is known only now.
  const { compared, equal, notCompared } = verified
  yield `${separator === '\n    ' ? '' : '\n  '}],\n  "compared": ${compared},\n  "equal": ${equal},\n  "not_compared": ${notCompared}\n}\n`
}

/**
 * Writes a receipt as the differences come, as there may be as many as the file has rows; it appears under its name
 * only when it is complete.
 */
export const writeVerificationReceipt = (...of: Parameters<typeof textOf>): Promise<void> => {
  const [{ table, verify }] = of
  return writeWhole(verify.receiptPath, textOf(...of), { like: table.mode, isNamed: verify.isNamed === true })
}
