import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AnalystAccount, openAnalystAccount, type Way, WAYS } from '../support/analyst/account.ts'
import { openPlainTable, type PlainTable } from '../support/analyst/plain-table.ts'
import { type Question, questions } from '../support/analyst/questions.ts'
import { csvRows } from '../support/csv.ts'
import { ROOT } from '../support/documents.ts'

let account: AnalystAccount
let table: PlainTable
beforeAll(async () => {
  table = openPlainTable(ROOT)
  account = await openAnalystAccount()
})
afterAll(async () => {
  table.close()
  await account[Symbol.asyncDispose]()
})

/** Rows as texts, in an order that does not matter where it is no part of the answer. */
const comparable = ({ inOrder }: Question, rows: readonly (readonly string[])[]): string[] => {
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

const answerOf = async (way: Way, form: keyof typeof READERS, question: Question): Promise<string[]> => {
  const { code, stdout, stderr } = await account.kpi(way, question.today, 'report', ...question.words, '-o', form)
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`)
  return comparable(question, columnsOf(READERS[form](stdout), question))
}

/** The KPIs whose reports have a row for each cell of the files. */
const PLAIN = ['Confirmed', 'Recovered', 'Deaths', 'Increase rate', 'Rain', 'Highest temperature', 'Exchange rate']

const FORMS = Object.keys(READERS) as (keyof typeof READERS)[]

test.each(WAYS)('%s holds the figures that the plain table holds', async (way) => {
  const words = ['--kpis', PLAIN.join(), '--from', '2013-01-01', '--to', '2026-12-31']
  const question: Question = {
    asks: 'What is there?',
    words,
    columns: ['itemName', 'kpiName', 'entryDate', 'actual'],
    sql: `select * from cell where kpi in (${PLAIN.map((name) => `'${name}'`).join()})`,
  }
  expect(await answerOf(way, 'csv', question)).toEqual(comparable(question, table.ask(question.sql)))
})

const TELLS_ASSIGNMENTS: readonly Way[] = ['embedded', 'classic']
const asked = questions.flatMap((question) =>
  (question.ofAssignments ? TELLS_ASSIGNMENTS : WAYS).map((way) => [question.asks, way, question] as const),
)

test.each(asked)('%s %s answers as SQL does over the plain figures', async (_, way, question) => {
  const expected = comparable(question, table.ask(question.sql))
  expect(expected).not.toEqual([])
  for (const form of FORMS) expect(await answerOf(way, form, question)).toEqual(expected)
})

test('what is missing is not told through the newer interface, which has no assignments', async () => {
  for (const { words, today } of questions.filter(({ ofAssignments }) => ofAssignments)) {
    expect(await account.kpi('v1', today, 'report', ...words)).toMatchObject({ code: 7, stdout: '' })
  }
})
