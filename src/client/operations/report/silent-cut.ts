import { KpiError } from '../../../domain/errors.ts'
import type { ReportRow } from '../../../domain/resources/report-row.ts'
import type { Client, ReportAnswer } from '../../client.ts'
import type { ReportRequest } from '../queries.ts'
import { isSortedByDay, kpisOf, type Reading } from './asking.ts'

/** Sets the fewest rows at which a service may have cut an answer: the smallest usual page. */
const SMALLEST_CUT = 20

/** Sets how many users the last check asks for. */
const FEW_USERS = 100

/** Holds, for each client, how many rows a service without totals has proved to give in one answer. */
const proven = new WeakMap<Client['report'], number>()

const keyOf = ({ entryDate, kpiId, itemId }: ReportRow): string => `${entryDate} ${kpiId} ${itemId}`

/** Returns narrower parts whose rows must all be in the answer; none if the part cannot be narrowed. */
const tailsOf = async (
  reading: Reading,
  part: ReportRequest,
  answer: ReportAnswer,
): Promise<readonly ReportRequest[]> => {
  const last = answer.rows.at(-1)
  if (last && isSortedByDay(answer) && last.entryDate > part.from) return [{ ...part, from: last.entryDate }]
  if (part.from < part.to) {
    const to = Math.floor((part.from + part.to) / 2)
    return [
      { ...part, to },
      { ...part, from: to + 1 },
    ]
  }
  const kpis = await kpisOf(reading, part.kpiIds)
  const [half, few] = [Math.ceil(kpis.length / 2), -Math.min(kpis.length, FEW_USERS)]
  if (kpis.length > 1) return [{ ...part, kpiIds: kpis.slice(half).slice(few) }]
  if (part.groupItemIds) return []
  const users = await reading.owners.usersToSplit(part.userIds ?? reading.wanted.userIds)
  return users && users.length > 1 ? [{ ...part, userIds: users.slice(-FEW_USERS).map(({ user }) => user) }] : []
}

const lackingIn = async (reading: Reading, tails: readonly ReportRequest[], rows: readonly ReportRow[]) => {
  const given = new Set(rows.map(keyOf))
  const answers = await Promise.all(tails.map(reading.ask))
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
      if (answer.total !== undefined) return
      if (answer.rows.length > (largest?.answer.rows.length ?? 0)) largest = { part, answer }
    },
    check: async () => {
      if (!largest) return
      const { part, answer } = largest
      const size = answer.rows.length
      if (size < SMALLEST_CUT || size <= (proven.get(report) ?? 0)) return
      const tails = await tailsOf(reading, part, answer)
      if (await lackingIn(reading, tails, answer.rows)) {
        // A row may have come meanwhile: then the part itself has it now.
        const again = await reading.ask(part)
        const rows = again instanceof KpiError ? [] : again.rows
        if (await lackingIn(reading, tails, rows)) throw silentCut(size)
      }
      proven.set(report, size)
    },
  }
}
