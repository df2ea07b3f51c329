import { csvRows } from '../csv.ts'
import type { AnalystAccount, Way } from './account.ts'
import type { Question } from './questions.ts'

/** Rows as texts, in an order that does not matter where it is no part of the answer. */
export const comparable = ({ inOrder }: Question, rows: readonly (readonly string[])[]): string[] => {
  const texts = rows.map((cells) => cells.join(' | '))
  return inOrder ? texts : texts.toSorted()
}

/** What a cell of an answer may hold. */
type Cell = string | number | null

/** Some columns of the records of an answer; a column that is missing shows in each of its cells. */
const columnsOf = (records: readonly Readonly<Record<string, Cell>>[], { columns }: Question): string[][] =>
  records.map((record) => columns.map((name) => (name in record ? String(record[name] ?? '') : `no ${name}`)))

const READERS = {
  csv: (text: string): Record<string, string>[] => {
    const [header = [], ...rows] = csvRows(text)
    return rows.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ''])))
  },
  json: (text: string) => JSON.parse(text) as Record<string, Cell>[],
  ndjson: (text: string) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, Cell>),
} as const

/** The answer of a command line, as texts to be compared. */
export const answerOf = async (
  account: AnalystAccount,
  way: Way,
  form: keyof typeof READERS,
  question: Question,
): Promise<string[]> => {
  const { code, stdout, stderr } = await account.kpi(way, question.today, 'report', ...question.words, '-o', form)
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`)
  return comparable(question, columnsOf(READERS[form](stdout), question))
}

export const FORMS = Object.keys(READERS) as (keyof typeof READERS)[]
