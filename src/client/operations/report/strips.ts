import type { Day } from '../../../domain/day.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { ReportRow } from '../../../domain/resources/report-row.ts'
import type { DayRange } from '../../../domain/period.ts'
import type { ReportAnswer } from '../../client.ts'
import { type Ids, isShort, isWhole, kpisOf, type Reading } from './asking.ts'
import { type Answered, readByHalves } from './halving.ts'
import { readOtherItems } from './items.ts'
import { createRowQueue } from './row-queue.ts'

/**
 * Describes what is not read yet of some KPIs: all rows from a day on. Undefined stands for all KPIs of the report.
 * `perDay` estimates the rows of a day.
 */
type Strip = {
  readonly kpis: Ids | undefined
  readonly next: Day
  readonly to: Day
  readonly perDay?: number | undefined
  /** Bounds the days to ask for, after the service refused more as too large. */
  readonly most?: number | undefined
}

/** Holds the rows taken from an answer, and what is still to be read. */
type Taken = { readonly rows: readonly ReportRow[]; readonly strips: readonly Strip[] }

/**
 * Returns the rows to aim at: more than fit, so that each answer is full; the rest is asked for with what follows. Where
 * requests are not counted it is fewer than fit, which leaves out no row that was made.
 */
const aimOf = ({ most, isInProcess }: Reading): number => most * (isInProcess ? 0.9 : 1.5)

/** Returns the last day to ask for: not all days at once, as the service makes all rows before it cuts them. */
const lastDayOf = ({ next, to, perDay, most = Infinity }: Strip, aim: number): Day => {
  const days = perDay === undefined ? Infinity : Math.max(1, Math.ceil(aim / perDay))
  return to - next + 1 <= Math.min(most, days * 1.3) ? to : next + Math.min(most, days) - 1
}

/** Returns what is left of a strip from a day on. */
const stripFrom = (strip: Strip, next: Day, kpis = strip.kpis): Strip[] =>
  next > strip.to ? [] : [{ ...strip, kpis, next }]

const afterWhole = (strip: Strip, { rows }: ReportAnswer, end: Day): Taken => {
  const perDay = rows.length === 0 ? undefined : rows.length / (end - strip.next + 1)
  const most = strip.most && strip.most * 2
  return { rows, strips: stripFrom({ ...strip, perDay, most }, end + 1) }
}

/** Returns the place of the first row behind the last one that `isBefore` holds for. */
const placeBehind = (rows: readonly ReportRow[], isBefore: (row: ReportRow) => boolean): number =>
  rows.findLastIndex(isBefore) + 1

/** Joins strips that go on from the same day, if their KPIs are all KPIs or can be named in one request. */
const joinStrips = (strips: readonly Strip[], all: number): Strip[] =>
  [...Map.groupBy(strips, ({ next, to }) => `${next} ${to}`).values()].flatMap((same) => {
    const kpis = same.flatMap((strip) => strip.kpis ?? [])
    const [first] = same
    if (!first || same.length === 1 || (kpis.length < all && !isShort(kpis))) return same
    return [{ ...first, kpis: kpis.length === all ? undefined : kpis, perDay: undefined }]
  })

/**
 * Reads a report whose answers hold the first rows in the report's order. Of an answer that was cut, the whole days
 * are taken, and reading goes on behind them. If the day in which it was cut has many rows, its whole KPIs are taken,
 * too: from then on these KPIs and the others are read in two strips, each from its own day.
 */
export const createStripReader = (reading: Reading, counts: { left: number }) => {
  const { request } = reading

  /** Tells whether it saves requests to read strips, rather than to ask for a day again. */
  const paysToSplit = (again: number): boolean =>
    !reading.isInProcess && (counts.left / reading.most) * (again / reading.most) > (reading.areKpisKnown() ? 1 : 2)

  const collectByHalves = async (strip: Strip, day: Day): Promise<ReportRow[]> => {
    const part = { ...request, from: day, to: day, kpiIds: strip.kpis ?? request.kpiIds }
    return (await Array.fromAsync(readByHalves(reading, part))).flat()
  }

  /** Reads one day, if nothing is known of which of its rows an answer holds. */
  const takeDay = async (strip: Strip): Promise<Taken> => ({
    rows: await collectByHalves(strip, strip.next),
    strips: stripFrom(strip, strip.next + 1),
  })

  const afterRefusal = (strip: Strip, end: Day): Promise<Taken> | Taken => {
    if (strip.next === end) return takeDay(strip)
    return { rows: [], strips: [{ ...strip, most: Math.ceil((end - strip.next + 1) / 2) }] }
  }

  /** Splits the KPIs of a strip at the one in which a day was cut; KPIs too many for a URL are read for this day only. */
  const splitAt = (strip: Strip, order: Ids, at: number, day: Day): readonly Strip[] => {
    const [done, open] = [order.slice(0, at), order.slice(at)]
    if (isShort(done) && isShort(open)) {
      const later = done.length === 0 ? [] : stripFrom({ ...strip, perDay: undefined }, day + 1, done)
      return [...later, { ...strip, kpis: open, next: day, perDay: undefined }]
    }
    return [{ ...strip, kpis: open, next: day, to: day }, ...stripFrom(strip, day + 1)]
  }

  /** Takes an answer that holds only some items of one day and KPI; the other KPIs of the day are left. */
  const afterItemCut = async (strip: Strip, rows: readonly ReportRow[], last: ReportRow): Promise<Taken> => {
    const day = last.entryDate
    const others = await readOtherItems(reading, { ...request, from: day, to: day, kpiIds: [last.kpiId] }, last)
    if (!others) return takeDay(strip)
    const all = [...rows, ...others]
    if (counts.left <= all.length) return { rows: all, strips: [] }
    const order = await kpisOf(reading, strip.kpis ?? request.kpiIds)
    const at = order.indexOf(last.kpiId) + 1
    return { rows: all, strips: at < order.length ? splitAt(strip, order, at, day) : stripFrom(strip, day + 1) }
  }

  /** Takes an answer that was cut in the first day that has rows in it. */
  const afterDayCut = async (strip: Strip, rows: readonly ReportRow[], last: ReportRow): Promise<Taken> => {
    const whole = placeBehind(rows, ({ kpiId }) => kpiId !== last.kpiId)
    if (whole === 0) return afterItemCut(strip, rows, last)
    const order = await kpisOf(reading, strip.kpis ?? request.kpiIds)
    const rank = new Map(order.map((id, at) => [id, at]))
    const ranks = rows.map(({ kpiId }) => rank.get(kpiId) ?? NaN)
    if (!ranks.every((one, at) => one >= (ranks[at - 1] ?? one))) return takeDay(strip)
    return { rows: rows.slice(0, whole), strips: splitAt(strip, order, rank.get(last.kpiId) ?? 0, last.entryDate) }
  }

  const afterCut = (strip: Strip, { rows, total = 0 }: ReportAnswer, end: Day): Promise<Taken> | Taken => {
    const last = rows.at(-1)
    if (!last) return strip.next === end ? takeDay(strip) : afterRefusal(strip, end)
    const day = last.entryDate
    const start = placeBehind(rows, ({ entryDate }) => entryDate < day)
    if (start === 0 || paysToSplit(rows.length - start)) return splitCut(strip, rows, last, start)
    const later = (total - start) / (end - day + 1)
    const perDay = Math.min(start / (day - strip.next), later)
    return { rows: rows.slice(0, start), strips: [{ ...strip, next: day, perDay }] }
  }

  const splitCut = async (strip: Strip, rows: readonly ReportRow[], last: ReportRow, start: number): Promise<Taken> => {
    const taken = await afterDayCut({ ...strip, next: last.entryDate }, rows.slice(start), last)
    return { rows: [...rows.slice(0, start), ...taken.rows], strips: taken.strips }
  }

  const take = (strip: Strip, answer: ReportAnswer | KpiError, end: Day): Promise<Taken> | Taken => {
    if (answer instanceof KpiError) return afterRefusal(strip, end)
    return isWhole(answer) ? afterWhole(strip, answer, end) : afterCut(strip, answer, end)
  }

  const askFor = async (strip: Strip, end: Day): Promise<ReportAnswer | KpiError | undefined> => {
    const kpiIds = strip.kpis ?? request.kpiIds
    return isShort(kpiIds) ? reading.ask({ ...request, from: strip.next, to: end, kpiIds }) : undefined
  }

  const joined = async (strips: readonly Strip[]): Promise<readonly Strip[]> =>
    strips.length < 2 ? strips : joinStrips(strips, (await kpisOf(reading, request.kpiIds)).length)

  return async function* read(
    range: DayRange & Pick<Strip, 'perDay'>,
    known: readonly Answered[] = [],
  ): AsyncGenerator<readonly ReportRow[]> {
    let strips: readonly Strip[] = [{ kpis: undefined, next: range.from, to: range.to, perDay: range.perDay }]
    const queue = createRowQueue(reading)
    const unused = new Set(known)
    while (strips.length > 0 && counts.left > 0) {
      const strip = strips.reduce((one, other) => (other.next < one.next ? other : one))
      const before = strip.kpis ? undefined : [...unused].find(({ part }) => part.from === strip.next)
      // Use each answer once: after a refusal, the same day is asked for again, with fewer behind it.
      if (before) unused.delete(before)
      const end = before?.part.to ?? lastDayOf(strip, aimOf(reading))
      const answer = before?.answer ?? (await askFor(strip, end))
      const taken = answer ? await take(strip, answer, end) : await takeDay(strip)
      counts.left -= taken.rows.length
      const others = strips.filter((one) => one !== strip)
      strips = await joined([...others, ...taken.strips])
      queue.add(taken.rows, others.length > 0 || taken.strips.length > 1)
      const isLast = strips.length === 0 || counts.left <= 0
      yield* queue.take(isLast ? Infinity : Math.min(...strips.map(({ next }) => next)))
    }
  }
}
