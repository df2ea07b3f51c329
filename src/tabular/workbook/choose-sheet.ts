import { matchesGlob } from 'node:path'
import { listFirst } from '../../domain/count-text.ts'
import { KpiError } from '../../domain/errors.ts'
import { type FormatFinding, isSheetPattern, type SourceOptions } from '../source/table.ts'
import type { Sheet, SheetSize } from './workbook.ts'

/** Describes the sheet that is read, and why. */
export type ChosenSheet = { readonly sheet: Sheet; readonly finding: FormatFinding }

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
  listFirst(sheets, SHOWN_SHEETS, ({ name }, at) => `${at + 1} (${name.includes(',') ? quote(name) : name})`)

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

const severalSheets = (
  sheets: readonly Sheet[],
  sizes: readonly MeasuredSheet[],
  { mayBeSeveral = false }: SourceOptions,
  file: string,
): KpiError => {
  const shown = sizes.slice(0, SHOWN_SHEETS).map(({ sheet, rows, columns }) => {
    const hidden = sheet.isHidden ? ', hidden' : ''
    return `${sheets.indexOf(sheet) + 1} (${sheet.name}, ${several(rows, 'row')} of up to ${several(columns, 'cell')}${hidden})`
  })
  return new KpiError(
    'malformed',
    `cannot read ${file}: several of its sheets hold rows: ${shown.join(', ')}${sizes.length > SHOWN_SHEETS ? ' and others' : ''}; say which with --sheet NAME or its number${mayBeSeveral ? ", or read all with --sheet '*'" : ''}`,
  )
}

/** Returns the only sheet that holds rows. */
const onlySheet = async (sheets: readonly Sheet[], asked: SourceOptions, file: string): Promise<ChosenSheet> => {
  const [only] = sheets
  if (!only) throw new KpiError('malformed', `cannot read ${file}: the workbook has no sheet with cells`)
  if (sheets.length === 1) return foundSheet(sheets, only, 'the only one')
  const sizes: MeasuredSheet[] = []
  for (const sheet of sheets) {
    const size = await sheet.measure()
    if (size.rows > 0) sizes.push({ sheet, ...size })
    if (sizes.length > SHOWN_SHEETS) break
  }
  if (sizes.length > 1) throw severalSheets(sheets, sizes, asked, file)
  return foundSheet(sheets, sizes[0]?.sheet ?? only, 'the only one that holds rows')
}

const mayBeTable = ({ rows, columns }: SheetSize): boolean => rows > 1 && columns > 1

/** Returns why a sheet that a pattern finds is no table; undefined if it may be one. */
const whyLeftOut = async ({ isHidden, measure }: Sheet): Promise<string | undefined> => {
  if (isHidden) return 'hidden'
  return mayBeTable(await measure(mayBeTable)) ? undefined : 'no table'
}

/** Holds the sheets that are read, and says which of those that patterns find are left out. */
type ChosenSheets = { readonly chosen: readonly ChosenSheet[]; readonly leftOut: string | undefined }

/** Returns the sheets that a pattern finds. */
const sheetsLike = (sheets: readonly Sheet[], pattern: string, file: string): readonly Sheet[] => {
  // A name may begin with a dot, or have a slash.
  const plain = (text: string): string => `_${text.trim().toLowerCase().replaceAll('/', '_')}`
  const found = sheets.filter(({ name }) => matchesGlob(plain(name), plain(pattern)))
  if (found.length > 0) return found
  throw new KpiError(
    'malformed',
    `cannot read ${file}: it has no sheet like ${quote(pattern)}; its sheets are ${namesOf(sheets)}`,
  )
}

/**
 * Returns the sheets that are read: those that were asked for, each once, or the only one that holds rows. Of those that a
 * pattern finds, hidden ones are left out, and those that hold no table.
 */
export const chooseSheets = async (
  sheets: readonly Sheet[],
  asked: SourceOptions,
  file: string,
): Promise<ChosenSheets> => {
  const texts = asked.sheets ?? []
  if (texts.length === 0) return { chosen: [await onlySheet(sheets, asked, file)], leftOut: undefined }
  const chosen = new Map<Sheet, ChosenSheet>()
  const left = new Map<Sheet, string>()
  for (const text of texts) {
    const found = isSheetPattern(text) ? sheetsLike(sheets, text, file) : [askedSheet(sheets, text, file)]
    for (const sheet of found) {
      const why = isSheetPattern(text) ? await whyLeftOut(sheet) : undefined
      if (why === undefined) chosen.set(sheet, foundSheet(sheets, sheet, `--sheet ${text}`))
      else left.set(sheet, why)
    }
  }
  const out = [...left].filter(([sheet]) => !chosen.has(sheet))
  const shown = listFirst(out, SHOWN_SHEETS, ([sheet, why]) => `${sheets.indexOf(sheet) + 1} (${sheet.name}, ${why})`)
  if (chosen.size === 0)
    throw new KpiError(
      'malformed',
      `cannot read ${file}: none of the sheets that are meant is a table to import: ${shown}`,
    )
  const leftOut =
    out.length === 0 ? undefined : `left out ${several(out.length, 'sheet')}: ${shown}; --sheet NAME reads one of them`
  return { chosen: [...chosen.values()], leftOut }
}
