import { type Decimal, formatDecimal } from '../decimal.ts'

const GROUP_DIGITS = 3

/** Returns a number as messages show it: with a decimal point, and thousands in groups, as `1,200,000`. */
export const readableNumber = (value: Decimal): string => {
  const [whole = '', fraction] = formatDecimal(value < 0n ? -value : value).split('.')
  const groups: string[] = []
  for (let end = whole.length; end > 0; end -= GROUP_DIGITS)
    groups.unshift(whole.slice(Math.max(0, end - GROUP_DIGITS), end))
  return `${value < 0n ? '-' : ''}${groups.join(',')}${fraction === undefined ? '' : `.${fraction}`}`
}
