import { KpiError } from '../../../domain/errors.ts'
import type { ReportRow } from '../../../domain/resources/report-row.ts'
import type { ReportRequest } from '../queries.ts'
import { isWhole, type Reading, tooLarge } from './asking.ts'

/** Bounds the text of ids in a URL that names nothing else at length; a comma takes three bytes in it. */
const IDS_BYTES = 6000
/** Bounds the requests in flight. */
const AT_ONCE = 4

/** Cuts ids into lists that fit a URL each. */
const listsOf = (ids: readonly number[]): number[][] => {
  const lists: number[][] = []
  let left = 0
  for (const id of ids) {
    const bytes = String(id).length + 3
    if (left < bytes) {
      lists.push([])
      left = IDS_BYTES
    }
    left -= bytes
    lists.at(-1)?.push(id)
  }
  return lists
}

/** Returns the parts that hold the items behind the last row of a day and KPI; undefined if they cannot be named. */
const partsBehind = async (
  { wanted, owners }: Reading,
  part: ReportRequest,
  { itemId }: ReportRow,
): Promise<ReportRequest[] | undefined> => {
  if (part.groupItemIds) {
    return listsOf(part.groupItemIds.filter((id) => id > itemId)).map((ids) => ({ ...part, groupItemIds: ids }))
  }
  const all = await owners.usersToSplit(part.userIds ?? wanted.userIds)
  const users = all?.filter(({ item }) => item > itemId).map(({ user }) => user)
  return users && listsOf(users).map((ids) => ({ ...part, userIds: ids }))
}

const readWhole = async ({ ask }: Reading, part: ReportRequest): Promise<readonly ReportRow[]> => {
  const answer = await ask(part)
  if (answer instanceof KpiError) throw answer
  if (!isWhole(answer)) throw tooLarge(part, true, answer)
  return answer.rows
}

/**
 * Reads the items behind the last row of an answer that holds nothing but one day and KPI. Returns undefined if the
 * service is not known to sort items, or if not all items can be named.
 */
export const readOtherItems = async (
  reading: Reading,
  part: ReportRequest,
  last: ReportRow,
): Promise<ReportRow[] | undefined> => {
  const parts = reading.isBundled() ? await partsBehind(reading, part, last) : undefined
  if (!parts) return undefined
  const rows: (readonly ReportRow[])[] = []
  for (let at = 0; at < parts.length; at += AT_ONCE) {
    const some = parts.slice(at, at + AT_ONCE)
    rows.push(...(await Promise.all(some.map((one) => readWhole(reading, one)))))
  }
  return rows.flat()
}
