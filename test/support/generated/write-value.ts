import type { Fold, Form } from './form.ts'

const ONE = 10_000

/** How many rows each day has where several times of it are written. */
export const READINGS = 3

/** The values of the rows of a day that become one value. */
export const readingsOf = (value: number, fold: Fold): readonly number[] => {
  const third = Math.trunc(value / ONE / 3) * ONE
  const cases: Readonly<Record<Fold, readonly number[]>> = {
    first: [value, value + ONE, value - ONE],
    last: [value + ONE, value - ONE, value],
    sum: [third, value - 2 * third, third],
    avg: [value - 2 * ONE, value, value + 2 * ONE],
    max: [value - ONE, value, value - 3 * ONE],
    min: [value + 2 * ONE, value, value + ONE],
  }
  return cases[fold]
}

/** Writes groups of three digits or, as in India, of two before the last three. */
const group = (digits: string, sign: string): string =>
  sign === 'Indian' ? digits.replaceAll(/\B(?=(?:\d{2})*\d{3}$)/g, ',') : digits.replaceAll(/\B(?=(?:\d{3})+$)/g, sign)

/** Writes a value of ten-thousandths without its sign. */
const writeDigits = (value: number, { decimal, thousands }: Form): string => {
  const digits = String(Math.abs(value)).padStart(5, '0')
  const fraction = digits.slice(-4).replace(/0+$/, '')
  const whole = thousands === '' ? digits.slice(0, -4) : group(digits.slice(0, -4), thousands)
  return whole + (fraction === '' ? '' : decimal + fraction)
}

const withMinus = (text: string, minus: Form['minus']): string => {
  if (minus === '()') return `(${text})`
  return minus === 'behind' ? `${text}-` : minus + text
}

/** Writes a value of a KPI, given as ten-thousandths; `at` counts the values. */
export const writeValue = (value: number, kpi: number, at: number, form: Form): string => {
  const [before, after] = form.units[kpi] ?? ['', '']
  const isBare = form.isUnitSparse && at % 2 === 1 && !after.includes('%')
  const text = isBare ? writeDigits(value, form) : before + writeDigits(value, form) + after
  return value < 0 ? withMinus(text, form.minus) : form.hasPlus && value > 0 ? `+${text}` : text
}

/** Writes a missing value. */
export const writeMissing = (at: number, { words }: Form): string => words[at % Math.max(1, words.length)] ?? ''
