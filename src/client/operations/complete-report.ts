import { KpiError } from '../../domain/errors.ts'
import { REPORT_LIMIT, type ReportRow } from '../../domain/resources/report-row.ts'
import type { Client } from '../client.ts'
import type { ReportRequest } from './queries.ts'
import { createReading, isShort, isSortedByDay, isWhole, MAX_IDS_PER_REQUEST, type Reading } from './report/asking.ts'
import { type Answered, readByHalves } from './report/halving.ts'
import { readInLanes } from './report/lanes.ts'
import { createSilentCutCheck } from './report/silent-cut.ts'
import { createStripReader } from './report/strips.ts'

type Rows = readonly ReportRow[]

/** Holds the answer to a whole report, which was cut, and what the service said of the rest of it. */
type Sorted = {
  readonly total: number
  readonly known: readonly Answered[]
  /** Holds the rows of the days before the one in which the answer was cut. */
  readonly before: Rows
  readonly rest: ReportRequest
}

/** Sets the rows from which on a report is read in lanes, and the most rows of a day there. */
const MANY_ROWS = REPORT_LIMIT * 6
const FEW_PER_DAY = REPORT_LIMIT / 5

/**
 * Refuses long lists of group items, and of users beside them: a row of a group item sums the entries of all its
 * users, so these lists cannot be split.
 */
const requireFewNames = ({ userIds, groupItemIds }: ReportRequest): void => {
  if (!groupItemIds || (isShort(userIds) && isShort(groupItemIds))) return
  const most = `at most ${MAX_IDS_PER_REQUEST} of them, and as many users`
  throw new KpiError('unsupported', `a report of group items can name ${most}; ask for fewer at a time`)
}

/**
 * Returns what to go on with if a cut answer surely holds the first rows in the order of days: the bundled service
 * says so; of another one, the rows up to a day and those from it on must add up. Undefined if it does not.
 */
const readSorted = async (reading: Reading, { part, answer }: Answered): Promise<Sorted | undefined> => {
  if (answer instanceof KpiError || answer.total === undefined) return undefined
  const last = answer.rows.at(-1)
  if (!last || !isSortedByDay(answer)) return undefined
  const { total } = answer
  const rest = { ...part, from: last.entryDate }
  const first = { part, answer }
  const before = answer.rows.filter(({ entryDate }) => entryDate < rest.from)
  if (reading.isBundled() || before.length === 0) return { total, known: [first], before, rest }
  const next = await reading.ask(rest)
  if (next instanceof KpiError || next.total !== total - before.length) return undefined
  return { total, known: [first, { part: rest, answer: next }], before, rest }
}

/** Refuses parts that have more or fewer rows than the service counted, unless rows came or went meanwhile. */
const requireSum = async ({ ask, request }: Reading, total: number, sum: number): Promise<void> => {
  if (sum === total) return
  const again = await ask(request)
  const now = again instanceof KpiError ? total : (again.total ?? total)
  if (sum >= Math.min(total, now) && sum <= Math.max(total, now)) return
  throw new KpiError(
    'not_acceptable',
    `the parts of the report do not add up: ${sum} rows, where the service counts ${now}; try again, or ask for fewer days at a time`,
  )
}

/** Reads a report whose answers are sorted. */
async function* readAll(reading: Reading, { total, known, before, rest }: Sorted): AsyncGenerator<Rows> {
  const { request } = reading
  const counts = { left: total }
  const read = createStripReader(reading, counts)
  const left = total - before.length
  const perDay = left / (request.to - rest.from + 1)
  if (reading.isInProcess || left < MANY_ROWS || before.length === 0 || perDay > FEW_PER_DAY)
    return yield* read(request, known)
  yield before
  counts.left = left
  yield* readInLanes(read, { from: rest.from, to: request.to }, perDay)
}

/** Sets the days from which on a report in this process begins with a part of them, and how small that part is. */
const MANY_DAYS = 64
const FIRST_PART = 1 / 8

/** Reads a report of many days in this process: the first part tells how many days to ask for, without counting all rows. */
async function* readInProcess(reading: Reading): AsyncGenerator<Rows> {
  const { request } = reading
  const { from, to } = request
  const part = { ...request, to: from + Math.floor((to - from) * FIRST_PART) }
  const read = createStripReader(reading, { left: Infinity })
  yield* read(request, [{ part, answer: await reading.ask(part) }])
}

/** Reads a report in parts, and checks that they are all of it. */
async function* parts(client: Client, reading: Reading): AsyncGenerator<Rows> {
  const { request, ask } = reading
  if (reading.isInProcess && request.to - request.from >= MANY_DAYS) return yield* readInProcess(reading)
  const answer = await ask(request)
  const check = createSilentCutCheck(client, reading)
  if (!(answer instanceof KpiError) && isWhole(answer)) {
    check.note(request, answer)
    yield answer.rows
    return check.check()
  }
  const first = { part: request, answer }
  const sorted = await readSorted(reading, first)
  let sum = 0
  for await (const rows of sorted ? readAll(reading, sorted) : readByHalves(reading, request, check.note, first)) {
    sum += rows.length
    yield rows
  }
  const total = answer instanceof KpiError ? undefined : answer.total
  // Users whom a URL cannot name are left out of parts, but counted in the total.
  if (total !== undefined && isShort(reading.wanted.userIds)) await requireSum(reading, total, sum)
  await check.check()
}

/**
 * Reads the whole report of a request, in the report's order. An answer that was cut is used as far as it is surely
 * whole, and the rest is asked for; else the report is split by date, then by KPI, then by user or group item. If one
 * day of one KPI and item is still too large, or if the parts are not all of the report, it throws.
 */
export async function* completeReport(client: Client, request: ReportRequest): AsyncGenerator<Rows> {
  requireFewNames(request)
  const reading = createReading(client, request)
  const { kpiIds, userIds, groupItemIds } = request
  const kpis = new Set(kpiIds)
  // Filter here by lists that are too long for a URL.
  const filtersUsers = userIds && !groupItemIds && (reading.owners.areItems || !isShort(userIds))
  const isOfUser = filtersUsers ? await reading.owners.rowFilter(userIds) : (): boolean => true
  const wantsAll = !kpiIds && !filtersUsers
  const isWanted = (row: ReportRow): boolean => (!kpiIds || kpis.has(row.kpiId)) && isOfUser(row)
  try {
    for await (const rows of parts(client, reading)) yield wantsAll ? rows : rows.filter(isWanted)
  } finally {
    reading.stop()
  }
}
