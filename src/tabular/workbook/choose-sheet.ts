import { listFirst } from '../../domain/count-text.ts'
import { KpiError } from '../../domain/errors.ts'
import type { FormatFinding } from '../source/table.ts'
import type { Sheet, SheetSize } from './workbook.ts'

/** Describes the sheet that is read, and why. */
type ChosenSheet = { readonly sheet: Sheet; readonly finding: FormatFinding }

const quote = (name: string): string => JSON.stringify(name)

const foundSheet = (sheets: readonly Sheet[], sheet: Sheet, evidence: string): ChosenSheet => ({
  sheet,
  finding: {
    topic: 'sheet',
    found: `${sheet.name} (${sheets.indexOf(sheet) + 1} of ${sheets.length})`,
    evidence,
  },
})

const several = (count: number, what: string): string => (count === 1 ? `1 ${what}` : `${count} ${what}s`)

/** Bounds the sheets that a message names. */
const SHOWN_SHEETS = 20

const namesOf = (sheets: readonly Sheet[]): string =>
  listFirst(sheets, SHOWN_SHEETS, ({ name }, at) => `${at + 1} (${name})`)

/** Returns the sheet that `--sheet` means: by its name, or by its number. */
const askedSheet = (sheets: readonly Sheet[], asked: string, file: string): Sheet => {
  const fold = (text: string): string => text.trim().toLowerCase()
  const exact = sheets.filter(({ name }) => name === asked)
  const named = exact.length > 0 ? exact : sheets.filter(({ name }) => fold(name) === fold(asked))
  const numbered = /^\d{1,4}$/.test(asked.trim()) ? sheets[Number(asked) - 1] : undefined
  const [first, second = numbered] = named
  if (first && second && first !== second) {
    throw new KpiError(
      'malformed',
      `cannot read ${file}: --sheet ${asked} may be ${[first, second].map((one) => `the sheet ${sheets.indexOf(one) + 1} (${one.name})`).join(' or ')}; say --sheet ${sheets.indexOf(first) + 1}, or ${quote(second.name)}`,
    )
  }
  const found = first ?? numbered
  if (found) return found
  throw new KpiError(
    'malformed',
    `cannot read ${file}: it has no sheet ${quote(asked)}; its sheets are ${namesOf(sheets)}`,
  )
}

type MeasuredSheet = { readonly sheet: Sheet } & SheetSize

const severalSheets = (sheets: readonly Sheet[], sizes: readonly MeasuredSheet[], file: string): KpiError => {
  const shown = sizes.slice(0, SHOWN_SHEETS).map(({ sheet, rows, columns }) => {
    const hidden = sheet.isHidden ? ', hidden' : ''
    return `${sheets.indexOf(sheet) + 1} (${sheet.name}, ${several(rows, 'row')} of up to ${several(columns, 'cell')}${hidden})`
  })
  return new KpiError(
    'malformed',
    `cannot read ${file}: several of its sheets hold rows: ${shown.join(', ')}${sizes.length > SHOWN_SHEETS ? ' and others' : ''}; say which with --sheet NAME or its number`,
  )
}

/** Returns the sheet that is read: the one that was asked for, or the only one that holds rows. */
export const chooseSheet = async (
  sheets: readonly Sheet[],
  asked: string | undefined,
  file: string,
): Promise<ChosenSheet> => {
  const [only] = sheets
  if (!only) throw new KpiError('malformed', `cannot read ${file}: the workbook has no sheet with cells`)
  if (asked !== undefined) return foundSheet(sheets, askedSheet(sheets, asked, file), `--sheet ${asked}`)
  if (sheets.length === 1) return foundSheet(sheets, only, 'the only one')
  const sizes: MeasuredSheet[] = []
  for (const sheet of sheets) {
    const size = await sheet.measure()
    if (size.rows > 0) sizes.push({ sheet, ...size })
    if (sizes.length > SHOWN_SHEETS) break
  }
  if (sizes.length > 1) throw severalSheets(sheets, sizes, file)
  return foundSheet(sheets, sizes[0]?.sheet ?? only, 'the only one that holds rows')
}
