import { entryPages } from '../../client/operations/entry-pages.ts'
import { formatDay } from '../../domain/day.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import { KpiError } from '../../domain/errors.ts'
import type { Entry } from '../../domain/resources/entry.ts'
import { entryKeyText, type OpenEntry, type ThirdPartyRun } from './open-interval.ts'
import type { ExistingEntry } from '../existing/existing-entries.ts'
import { minuteOf } from '../../runs/entries/unfinished.ts'
import { ownerOf } from '../../domain/entry-key.ts'
import type { UnlistedEntry } from './capabilities.ts'

/**
 * Finds an entry that the service may list in place of the one that was sent: with the same actual, up to two days off.
 */
const findAstray = async ({ client }: ThirdPartyRun, { draft }: OpenEntry): Promise<Entry | undefined> => {
  const { actual, entry_date: day, kpi_id: kpiId } = draft
  const owner = ownerOf(draft)
  const whose = owner < 0 ? { sourceId: -owner } : { userId: owner }
  const pages = await Array.fromAsync(entryPages(client, { ...whose, kpiId, from: day - 2, to: day + 2 }))
  return pages
    .flat()
    .find((one) => ownerOf(one) === owner && one.kpi_id === kpiId && one.entry_date !== day && one.actual === actual)
}

const shown = (value: bigint | null | undefined): string => (typeof value === 'bigint' ? formatDecimal(value) : 'none')

/** Says when an earlier run sent the entry, and how to have it sent again. */
const saidBefore = ({ capabilities: { path } }: ThirdPartyRun, { at }: UnlistedEntry): string =>
  `; it was sent at ${minuteOf(at)}, and is not sent again for a week${path === undefined ? '' : ` unless you delete ${path}`}`

/** Returns the error that ends a run if the service's list does not show what was sent to it. */
export const unrecognizedError = async (
  run: ThirdPartyRun,
  item: OpenEntry,
  entry: ExistingEntry | undefined,
): Promise<KpiError> => {
  const { capabilities, clock } = run
  const { actual, entry_date, kpi_id, target } = item.draft
  const [key, before] = [entryKeyText(item), capabilities.known().unlisted]
  if (before?.key !== key) capabilities.learn({ unlisted: { key, at: clock.now(), isProven: !item.unproven } })
  const whose = `the entry of ${formatDay(entry_date)} for KPI ${kpi_id}`
  const astray = entry ? undefined : await findAstray(run, item)
  const elsewhere = astray ? `, and lists one with the same values on ${formatDay(astray.entry_date)}` : ''
  const what = entry
    ? `lists ${whose} with the actual ${shown(entry.actual)} and the target ${shown(entry.target)}, where ${shown(actual)} and ${shown(target)} were sent`
    : `does not list ${whose}, although it said that it was stored${elsewhere}`
  return new KpiError(
    'unavailable',
    `the service ${what}; nothing more is sent, because it is not clear whether it was stored${before?.key === key ? saidBefore(run, before) : ''}`,
  )
}
