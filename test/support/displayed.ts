const LITERAL = /"((?:[^"\\]|\\.)*)"|\\(.)/g

/** The literal texts of a section are taken out, and what is left are the signs of the number or date. */
const inSection = (section: string, show: (signs: string) => string): string => {
  let text = ''
  let at = 0
  for (const match of section.matchAll(LITERAL)) {
    text += show(section.slice(at, match.index)) + (match[1] ?? match[2] ?? '').replaceAll(/\\(.)/g, '$1')
    at = match.index + match[0].length
  }
  return text + show(section.slice(at))
}

/** The sections of a format, which semicolons outside of texts part. */
const sectionsOf = (format: string): string[] => format.split(/;(?=(?:[^"\\]|\\.|"(?:[^"\\]|\\.)*")*$)/)

const rounded = (value: number, decimals: number): string => {
  // A double is written with all its digits first, as spreadsheets round the decimal that they show.
  const [whole = '0', fraction = ''] = value.toFixed(4).split('.')
  const scaled = BigInt(whole + fraction)
  const step = 10n ** BigInt(4 - decimals)
  const units = (scaled + step / 2n) / step
  const digits = String(units).padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

const grouped = (text: string): string => text.replace(/\B(?=(?:\d{3})+(?!\d))/g, ',')

const numberText = (value: number, signs: string): string => {
  if (signs === '') return ''
  const decimals = signs.includes('.') ? signs.length - signs.indexOf('.') - 1 : 0
  const [whole = '', fraction] = rounded(value, decimals).split('.')
  return (signs.includes(',') ? grouped(whole) : whole) + (fraction === undefined ? '' : `.${fraction}`)
}

const dateText = (value: Date, signs: string): string => {
  const [year = '', month = '', day = ''] = value.toISOString().slice(0, 10).split('-')
  return signs.replace('yyyy', year).replace('mm', month).replace('dd', day)
}

/** What a spreadsheet shows of a cell with a number format, as far as reports have such. */
export const displayed = (value: unknown, format = ''): string => {
  if (typeof value === 'string') return value
  if (value instanceof Date) return inSection(format, (signs) => dateText(value, signs))
  if (typeof value !== 'number') return ''
  if (format === '') return String(value)
  const [first = '', below, zero] = sectionsOf(format)
  if (value < 0 && below !== undefined) return inSection(below, (signs) => numberText(-value, signs))
  if (value === 0 && zero !== undefined) return inSection(zero, (signs) => numberText(0, signs))
  return (value < 0 ? '-' : '') + inSection(first, (signs) => numberText(Math.abs(value), signs))
}
