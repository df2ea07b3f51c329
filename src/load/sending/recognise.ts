import { entryPages } from '../../client/entry-pages.ts'
import { formatDay } from '../../domain/day.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import { KpiError } from '../../domain/errors.ts'
import { ownerOf } from '../owner.ts'
import type { StoredEntry } from '../standing/standing.ts'
import type { Item } from './delivery.ts'
import type { Sending } from './sending.ts'

/** Finds where a service lists an entry that it does not list where it was sent: a day or two off. */
const findAstray = async ({ client }: Sending, { draft }: Item): Promise<string> => {
  const { actual, entry_date: day, kpi_id: kpiId } = draft
  const owner = ownerOf(draft)
  const whose = owner < 0 ? { sourceId: -owner } : { userId: owner }
  const pages = await Array.fromAsync(entryPages(client, { ...whose, kpiId, from: day - 2, to: day + 2 }))
  const found = pages
    .flat()
    .find((one) => ownerOf(one) === owner && one.kpi_id === kpiId && one.entry_date !== day && one.actual === actual)
  return found ? `, and lists one with the same values on ${formatDay(found.entry_date)}` : ''
}

const shown = (value: bigint | null | undefined): string => (typeof value === 'bigint' ? formatDecimal(value) : 'none')

/** Ends a run at a service in whose list nothing can be recognised that is sent to it. */
export const notRecognised = async (
  sending: Sending,
  item: Item,
  entry: StoredEntry | undefined,
): Promise<KpiError> => {
  const { actual, entry_date, kpi_id, target } = item.draft
  const whose = `the entry of ${formatDay(entry_date)} for KPI ${kpi_id}`
  const what = entry
    ? `lists ${whose} with the actual ${shown(entry.actual)} and the target ${shown(entry.target)}, where ${shown(actual)} and ${shown(target)} were sent`
    : `does not list ${whose}, which it said that it has stored${await findAstray(sending, item)}`
  return new KpiError(
    'unavailable',
    `the service ${what}; nothing more is sent, as it could not be told whether it is stored`,
  )
}
