import type { AnyRecord, NamedField } from '../domain/schema.ts'
import { cellOf } from './cell-text.ts'

const isNumber = ({ field: { kind } }: NamedField): boolean =>
  kind === 'integer' || kind === 'int16' || kind === 'decimal'

/** Matches what would end a cell, begin a format, or read as HTML or an escape in Markdown. */
const SIGNS = /[\\|`*_[\]<>&~#]/g
const LINE_END = /\r\n|\r|\n/g

const cell = (text: string): string => text.replaceAll(SIGNS, '\\$&').replaceAll(LINE_END, '<br>')

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`

/** Returns the head of a table in GitHub's Markdown, its numbers to the right. */
export const markdownHead = (columns: readonly NamedField[]): string =>
  line(columns.map(({ name }) => cell(name))) + line(columns.map((one) => (isNumber(one) ? '---:' : '---')))

/** Returns the rows of such a table. */
export const markdownRows = (columns: readonly NamedField[], records: readonly AnyRecord[]): string =>
  records.map((record) => line(columns.map((column) => cell(cellOf(column, record))))).join('')

/** Returns a title in Markdown, and a line below it. */
export const markdownTitle = (title: string, below: string): string => `# ${cell(title)}\n\n${cell(below)}\n\n`
