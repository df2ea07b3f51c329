import { fits } from '../decimal.ts'
import { Fault } from '../errors.ts'

/** Refuses a decimal with more than 14 integer digits, and text that is not a number. */
export const checkDecimal = (parsed: { value: bigint } | undefined): bigint | Fault => {
  if (!parsed) return Fault.must('be a number')
  return fits(parsed.value) ? parsed.value : Fault.must('have at most 14 digits before the decimal point')
}
