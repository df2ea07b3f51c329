import type { State } from '../../../domain/analysis/state.ts'
import type { Decimal } from '../../../domain/decimal.ts'
import { formatByPattern, type NumberPattern, readNumberPattern } from '../../../domain/number-pattern.ts'

/** Maps states to the signs and words that people read. */
export const STATE_SIGNS: Readonly<Record<State, string>> = {
  met: '✓ met',
  near: '~ near',
  missed: '✗ missed',
  'no target': '',
}

/** Holds 99 percent. */
const ALMOST_WHOLE: Decimal = 99_0000n
/** Show percentages as whole ones, or with one decimal. */
export const WHOLE_PERCENT = readNumberPattern('# %')
export const TENTHS_OF_PERCENT = readNumberPattern('#.0 %')

const percentText = (percent: Decimal | null, pattern: NumberPattern): string | null =>
  percent === null ? null : formatByPattern(percent, pattern)

/** Returns a text of a number with its sign, where that is a plus. */
export const signed = (text: string | null, isMore: boolean): string | null =>
  text === null || !isMore ? text : `+${text}`

/** Returns a progress; that of a value which has not met its target is at most 99 percent, so that it never reads as a whole. */
export const progressText = (progress: Decimal | null, isMet: boolean): string | null => {
  const isAsItIs = progress === null || progress < ALMOST_WHOLE || isMet
  return percentText(isAsItIs ? progress : ALMOST_WHOLE, WHOLE_PERCENT)
}

/** Returns a share of a whole. */
export const shareText = (percent: Decimal | null): string | null => percentText(percent, TENTHS_OF_PERCENT)

/** Returns a change in percent. */
export const changeText = (percent: Decimal | null): string | null =>
  signed(percentText(percent, TENTHS_OF_PERCENT), percent !== null && percent > 0n)
