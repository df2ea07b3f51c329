import { cellText, markText } from '../codec/cell-text.ts'
import type { AnyRecord, NamedField } from '../domain/schema.ts'
import { fileHeading, formatLine, numberText, type SheetFormat } from './text-format.ts'

const sheetCell = (form: SheetFormat, { name, field }: NamedField, record: AnyRecord): string => {
  const value = record[name] ?? null
  if (typeof value === 'bigint') return numberText(form, value)
  const text = cellText(field, value)
  return typeof value === 'string' ? markText(text) : text
}

/** Returns what CSV with these columns begins with, for spreadsheets of a locale. */
export const sheetHeader = (form: SheetFormat, columns: readonly NamedField[]): string =>
  fileHeading(form) +
  formatLine(
    form,
    columns.map(({ name }) => markText(name)),
  )

/** Creates a function that returns records as lines of CSV for spreadsheets, in which no text can run as a formula. */
export const sheetWriter =
  (form: SheetFormat, columns: readonly NamedField[]) =>
  (records: readonly AnyRecord[]): string =>
    records
      .map((record) =>
        formatLine(
          form,
          columns.map((column) => sheetCell(form, column, record)),
        ),
      )
      .join('')
