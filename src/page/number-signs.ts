import type { NumberSigns } from '../domain/number-pattern.ts'

/** Names the language of the page's own words, in which numbers are written where the reader's is not known. */
const OWN_LANGUAGE = 'en'

/** Returns the language of the reader's browser, of which some say what is none, such as `en-US@posix`. */
const readersLanguage = (): string => {
  const [, language] = /^([a-z]{2,3}(?:-[A-Za-z\d]{2,8}){0,3})(?:$|@)/.exec(navigator.language) ?? []
  return Intl.NumberFormat.supportedLocalesOf(language ?? OWN_LANGUAGE)[0] ?? OWN_LANGUAGE
}

/** Holds the language in which numbers are written. */
export const LANGUAGE = readersLanguage()

const whole = new Intl.NumberFormat(LANGUAGE, { numberingSystem: 'latn' })

/** Returns a count as the reader writes it. */
export const countOf = (count: number): string => whole.format(count)

/** Writes numbers as the reader's language does, with thousands in groups. */
export const SIGNS: NumberSigns = {
  group: (digits) => whole.format(BigInt(digits)),
  decimal: whole.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.',
}

/** Matches a number as the table of a page has it before its script runs: one without groups has few digits, or is an id. */
const PLAIN_NUMBER = /(\d+(?:,\d{3})*)(?:\.(\d+))?/g

/** Returns a text with its numbers as the reader writes them, as the charts beside it do. */
export const inReadersSigns = (text: string): string =>
  text.replaceAll(PLAIN_NUMBER, (_, whole: string, fraction?: string) => {
    const digits = whole.replaceAll(',', '')
    const decimals = fraction === undefined ? '' : `${SIGNS.decimal}${fraction}`
    return `${digits === whole ? digits : SIGNS.group(digits)}${decimals}`
  })
