import { KpiError } from '../../../domain/errors.ts'
import { REPORT_LIMIT, type ReportRow } from '../../../domain/resources/report-row.ts'
import type { Client, ReportAnswer } from '../../client.ts'
import type { ReportRequest } from '../queries.ts'
import { type Ids, kpisOf, MAX_IDS_PER_REQUEST, type Reading } from './asking.ts'

/** Sets the fewest rows at which a service may have cut an answer: the smallest usual page. */
const SMALLEST_CUT = 20

/** Holds, for each client, how many rows a service without totals has proved to give in one answer. */
const proven = new WeakMap<Client['report'], number>()

const keyOf = ({ entryDate, kpiId, itemId }: ReportRow): string => `${entryDate} ${kpiId} ${itemId}`

/** Returns the place behind which half of the ids with rows lie, of a list that holds them all; both halves have some. */
const middleOf = (list: Ids, withRows: ReadonlySet<number>): number => {
  const places = list.flatMap((id, at) => (withRows.has(id) ? [at] : []))
  return places[Math.ceil(places.length / 2)] ?? list.length
}

/** Cuts ids into lists that a URL can name beside others. */
const shortListsOf = (ids: Ids): Ids[] =>
  Array.from({ length: Math.ceil(ids.length / MAX_IDS_PER_REQUEST) }, (_, at) =>
    ids.slice(at * MAX_IDS_PER_REQUEST, (at + 1) * MAX_IDS_PER_REQUEST),
  )

/** Returns two halves of a list of ids, in lists that a URL can name; none where only one id has rows. */
const halvesOf = (list: Ids, ids: Ids): Ids[] => {
  const withRows = new Set(ids)
  if (withRows.size < 2) return []
  const middle = middleOf(list, withRows)
  return [...shortListsOf(list.slice(0, middle)), ...shortListsOf(list.slice(middle))]
}

/**
 * Returns parts that together are a whole one, each with some of its rows; none if it cannot be split. Where the whole
 * was cut, its parts have more rows together than it has, as each of them is cut no sooner.
 */
const partsOf = async (
  reading: Reading,
  part: ReportRequest,
  { rows }: ReportAnswer,
): Promise<readonly ReportRequest[]> => {
  const days = [...new Set(rows.map(({ entryDate }) => entryDate))].toSorted((one, other) => one - other)
  const from = days[Math.ceil(days.length / 2)]
  if (from !== undefined) {
    return [
      { ...part, to: from - 1 },
      { ...part, from },
    ]
  }
  const kpis = halvesOf(
    await kpisOf(reading, part.kpiIds),
    rows.map(({ kpiId }) => kpiId),
  )
  if (kpis.length > 0) return kpis.map((kpiIds) => ({ ...part, kpiIds }))
  const items = rows.map(({ itemId }) => itemId)
  if (part.groupItemIds) return halvesOf(part.groupItemIds, items).map((groupItemIds) => ({ ...part, groupItemIds }))
  const owners = (await reading.owners.usersToSplit(part.userIds ?? reading.wanted.userIds)) ?? []
  const users = new Map(owners.map(({ user, item }) => [item, user]))
  return halvesOf(
    owners.map(({ item }) => item),
    items,
  ).map((some) => ({ ...part, userIds: some.flatMap((item) => users.get(item) ?? []) }))
}

/** Tells whether parts have rows that the whole lacks. */
const lackingIn = async (
  reading: Reading,
  parts: readonly ReportRequest[],
  rows: readonly ReportRow[],
): Promise<boolean> => {
  const given = new Set(rows.map(keyOf))
  const answers = await Promise.all(parts.map(reading.ask))
  return answers.some((answer) => !(answer instanceof KpiError) && answer.rows.some((row) => !given.has(keyOf(row))))
}

const silentCut = (rows: number): KpiError =>
  new KpiError(
    'not_acceptable',
    `the service cuts reports at ${rows} rows and does not say so, so they cannot be read whole; ask for fewer days, KPIs or users at a time, so that each answer has fewer rows`,
  )

/** Checks that a service without totals did not cut its largest answer; asks only if it was never found to be whole. */
type SilentCutCheck = {
  readonly note: (part: ReportRequest, answer: ReportAnswer) => void
  readonly check: () => Promise<void>
}

/** Creates the check for one report. */
export const createSilentCutCheck = ({ report }: Client, reading: Reading): SilentCutCheck => {
  let largest: { part: ReportRequest; answer: ReportAnswer } | undefined
  return {
    note: (part, answer) => {
      // A total that is the limit of an answer may count no more than this answer.
      const isDoubtful = answer.total === REPORT_LIMIT && answer.rows.length === REPORT_LIMIT && !reading.isBundled()
      if (answer.total !== undefined && !isDoubtful) return
      if (answer.rows.length > (largest?.answer.rows.length ?? 0)) largest = { part, answer }
    },
    check: async () => {
      if (!largest) return
      const { part, answer } = largest
      const size = answer.rows.length
      if (size < SMALLEST_CUT || size <= (proven.get(report) ?? 0)) return
      const parts = await partsOf(reading, part, answer)
      if (await lackingIn(reading, parts, answer.rows)) {
        // A row may have come meanwhile: then the part itself has it now.
        const again = await reading.ask(part)
        const rows = again instanceof KpiError ? [] : again.rows
        if (await lackingIn(reading, parts, rows)) throw silentCut(size)
      }
      proven.set(report, size)
    },
  }
}
