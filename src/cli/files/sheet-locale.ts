import type { SheetFormat } from '../../export/text-format.ts'
import { UsageError } from '../exit.ts'

/** Lists locales whose spreadsheets separate cells by semicolons although the decimal sign is a point. */
const POINT_AND_SEMICOLON: ReadonlySet<string> = new Set(['CH', 'LI'])

const localeOf = (text: string): Intl.Locale => {
  try {
    const [known] = Intl.NumberFormat.supportedLocalesOf([text])
    if (known !== undefined) return new Intl.Locale(known)
  } catch {
    // Said below.
  }
  throw new UsageError(`--excel ${text} is no locale; write a language and a country, such as de-DE or en-US`)
}

/** Returns how a locale's spreadsheets write CSV: semicolons where the comma is the decimal sign. */
export const sheetForm = (text: string): SheetFormat => {
  const { baseName, region } = localeOf(text)
  if (POINT_AND_SEMICOLON.has(region ?? '')) return { separator: ';', decimal: '.', isSheet: true }
  const parts = new Intl.NumberFormat(baseName).formatToParts(1.5)
  const isComma = parts.some(({ type, value }) => type === 'decimal' && value === ',')
  return isComma
    ? { separator: ';', decimal: ',', isSheet: true } //
    : { separator: ',', decimal: '.', isSheet: true }
}
