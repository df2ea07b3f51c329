import type { FaultyAccount } from '../faulty/account.ts'
import type { Random } from '../random.ts'
import { dateOf } from './days.ts'

/** The cells of one entry, or what is to be one; a value that has no column is left out. */
export type Cell = {
  readonly user: string
  readonly kpi: string
  readonly date: string
  readonly actual: string
  readonly target?: string
  readonly notes?: string
}

/** A file: its text, and what stands on which line. */
export type Sheet = {
  readonly text: string
  readonly rows: readonly { readonly line: number; readonly cells: readonly Cell[] }[]
  readonly isWide: boolean
}

/** What a file is to be like. */
export type Wants = {
  /** The fewest and the most rows of a long file. */
  readonly rows: readonly [fewest: number, most: number]
  readonly days: number
  /** Whether there are rows that the service refuses for a reason of its own. */
  readonly hasUnlucky: boolean
  /** Whether users and KPIs are written as ids. */
  readonly namesById: boolean
  /** Whether each row has an actual. */
  readonly alwaysActual: boolean
}

const ACTUALS = [
  '1',
  '-2.5',
  '30',
  '7.25',
  '0',
  '1.00005',
  '-1.00004',
  '12345.6789',
  '99999999999.9999',
  '42',
  '8',
  '3.1',
]
const BAD_ACTUALS = ['much', '1e99', '--1', '999999999999999999']
/** What the service refuses, and nobody knows before. */
const UNLUCKY = '1313'

const drawActual = ({ pick, chance }: Random, { alwaysActual, hasUnlucky }: Wants): string => {
  if (chance(0.03)) return pick(BAD_ACTUALS)
  if (hasUnlucky && chance(0.03)) return UNLUCKY
  return !alwaysActual && chance(0.08) ? '' : pick(ACTUALS)
}

const BAD_DATES = ['2026-02-30', 'someday', '']

type Draw = { readonly random: Random; readonly account: FaultyAccount; readonly wants: Wants }

const drawUser = ({ random, account, wants }: Draw): string => {
  const { chance, pick } = random
  const user = pick(account.users)
  return chance(0.03)
    ? 'Nobody'
    : wants.namesById
      ? String(user.id)
      : pick([user.name, user.name.toUpperCase(), String(user.id)])
}

const drawKpi = ({ random, account, wants }: Draw): string => {
  const { chance, pick } = random
  const kpi = pick(account.kpis)
  return chance(0.03) ? 'Nothing' : wants.namesById ? String(kpi.id) : pick([kpi.name, kpi.name.toLowerCase()])
}

const drawDate = ({ chance, pick, whole }: Random, { days }: Wants): string =>
  chance(0.03) ? pick(BAD_DATES) : dateOf(whole(0, days - 1))

const NOTES = ['', '', 'rain, all day', '  said "so"  ', 'zwei\nZeilen', 'ok']

const quote = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Writes a row for each entry. */
const writeLong = (cells: readonly Cell[]): Sheet => {
  const names = (['user', 'kpi', 'date', 'actual', 'target', 'notes'] as const).filter(
    (name) => cells[0]?.[name] !== undefined,
  )
  let line = 2
  const rows = cells.map((cell) => {
    const at = line
    line += 1 + (cell.notes?.split('\n').length ?? 1) - 1
    return { line: at, cells: [cell] }
  })
  const shown = cells.map((cell) => names.map((name) => quote(cell[name] ?? '')).join(','))
  return { text: `${[names.join(','), ...shown].join('\n')}\n`, rows, isWide: false }
}

/** Returns a sheet of which some rows are missing, and others hold something else; one that is wide stays as it is. */
export const alterSheet = ({ chance, pick }: Random, sheet: Sheet): Sheet => {
  if (sheet.isWide) return sheet
  const cells = sheet.rows.flatMap((row) => row.cells)
  const some = cells.filter(() => chance(0.8))
  return writeLong(
    (some.length > 0 ? some : cells).map((cell) => (chance(0.4) ? { ...cell, actual: pick(ACTUALS) } : cell)),
  )
}

const drawLong = (draw: Draw, count: number): Sheet => {
  const { random, wants } = draw
  const { chance, pick } = random
  const [hasTarget, hasNotes] = [chance(0.5), chance(0.5)]
  const drawn = Array.from({ length: count }, () => ({
    user: drawUser(draw),
    kpi: drawKpi(draw),
    date: drawDate(random, wants),
    actual: drawActual(random, wants),
    ...(hasTarget && {
      target: pick(['', '5', '12.5', 'high']) === 'high' && chance(0.3) ? 'high' : pick(['', '5', '12.5']),
    }),
    ...(hasNotes && { notes: pick(NOTES) }),
  }))
  return writeLong(drawn)
}

/** A column for each KPI, by name. */
const drawWide = (draw: Draw, count: number): Sheet => {
  const { random, account, wants } = draw
  const names = account.kpis.map(({ name }) => name)
  const rows = Array.from({ length: count }, (_, at) => {
    const [user, date] = [drawUser(draw), drawDate(random, wants)]
    return { line: at + 2, cells: names.map((kpi) => ({ user, kpi, date, actual: drawActual(random, wants) })) }
  })
  const shown = rows.map(({ cells: [first, ...rest] }) =>
    [first?.user, first?.date, first?.actual, ...rest.map(({ actual }) => actual)].join(','),
  )
  return { text: `${[['user', 'date', ...names].join(','), ...shown].join('\n')}\n`, rows, isWide: true }
}

/** Draws a file for an account. */
export const createSheet = (random: Random, account: FaultyAccount, wants: Wants): Sheet => {
  const draw = { random, account, wants }
  const isWide = !wants.namesById && account.kpis.length > 1 && random.chance(0.25)
  return isWide
    ? drawWide(draw, random.whole(1, Math.ceil(wants.rows[1] / 3)))
    : drawLong(draw, random.whole(...wants.rows))
}
