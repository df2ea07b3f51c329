/** Ten-thousandths. */
export type Number4 = bigint

/** A KPI of a faulty service. */
export type FaultyKpi = {
  readonly id: number
  readonly name: string
  readonly target: Number4 | null
  readonly isActive: boolean
}

/** A user of it, and the KPIs that are assigned to them. */
export type FaultyUser = {
  readonly id: number
  readonly name: string
  readonly isLocked: boolean
  readonly kpis: readonly number[]
}

/** What an entry holds. */
export type Held = { readonly actual: Number4 | null; readonly target: Number4 | null; readonly notes: string | null }

/** An entry as it is kept. */
export type Kept = Held & {
  readonly id: number
  readonly user: number
  readonly kpi: number
  /** `YYYY-MM-DD`. */
  readonly date: string
  /** When it was first stored, in milliseconds; undefined for what was there from the beginning. */
  readonly createdAt?: number
}

/** All that a faulty service knows. */
export type FaultyAccount = {
  readonly kpis: readonly FaultyKpi[]
  readonly users: readonly FaultyUser[]
  readonly entries: readonly Kept[]
}

/** How entries are told apart. */
export const keyOf = ({ user, kpi, date }: Pick<Kept, 'user' | 'kpi' | 'date'>): string => `${user}/${kpi}/${date}`

const NUMBER = /^(-?)(\d{1,14})(?:\.(\d+))?$/

/** A number as it is kept, rounded half away from zero; undefined where it is none, or too large. */
export const readNumber4 = (text: string): Number4 | undefined => {
  const [, sign, whole = '', fraction = ''] = NUMBER.exec(text) ?? []
  if (sign === undefined) return undefined
  const units = BigInt(whole + fraction.slice(0, 4).padEnd(4, '0')) + ((fraction[4] ?? '0') >= '5' ? 1n : 0n)
  if (units >= 10n ** 18n) return undefined
  return sign === '-' ? -units : units
}

/** Adds up numbers of up to twelve decimals, as texts, and rounds the sum to a kept number. */
export const sumNumber4 = (texts: readonly string[]): Number4 => {
  const total = texts.reduce((sum, text) => {
    const [, sign, whole = '', fraction = ''] = NUMBER.exec(text) ?? []
    const units = BigInt(whole + fraction.padEnd(12, '0'))
    return sign === '-' ? sum - units : sum + units
  }, 0n)
  const magnitude = ((total < 0n ? -total : total) + 50_000_000n) / 100_000_000n
  return total < 0n ? -magnitude : magnitude
}

/** A kept number as text. */
export const showNumber4 = (value: Number4): string => {
  const digits = String(value < 0n ? -value : value).padStart(5, '0')
  const fraction = digits.slice(-4).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -4)}${fraction === '' ? '' : `.${fraction}`}`
}
