import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AnalystAccount, openAnalystAccount, type Way, WAYS } from '../support/analyst/account.ts'
import { answerOf, comparable, FORMS } from '../support/analyst/answers.ts'
import { openPlainTable, type PlainTable } from '../support/analyst/plain-table.ts'
import { type Question, questions } from '../support/analyst/questions.ts'
import { ROOT } from '../support/documents.ts'
import { some } from '../support/soak/tests.ts'

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

/** The KPIs whose reports have a row for each cell of the files. */
const PLAIN = ['Confirmed', 'Recovered', 'Deaths', 'Increase rate', 'Rain', 'Highest temperature', 'Exchange rate']

test.each(WAYS)('%s holds the figures that the plain table holds', async (way) => {
  const words = ['--kpis', PLAIN.join(), '--from', '2013-01-01', '--to', '2026-12-31']
  const question: Question = {
    asks: 'What is there?',
    words,
    columns: ['itemName', 'kpiName', 'entryDate', 'actual'],
    sql: `select * from cell where kpi in (${PLAIN.map((name) => `'${name}'`).join()})`,
  }
  expect(await answerOf(account, way, 'csv', question)).toEqual(comparable(question, table.ask(question.sql)))
})

const TELLS_ASSIGNMENTS: readonly Way[] = ['embedded', 'classic']
const asked = questions.flatMap((question) =>
  (question.ofAssignments ? TELLS_ASSIGNMENTS : WAYS).map((way) => [question.asks, way, question] as const),
)

test.each(some(18, asked))('%s %s answers as SQL does over the plain figures', async (_, way, question) => {
  const expected = comparable(question, table.ask(question.sql))
  expect(expected).not.toEqual([])
  for (const form of FORMS) expect(await answerOf(account, way, form, question)).toEqual(expected)
})

test('what is missing is not told through the newer interface, which has no assignments', async () => {
  for (const { words, today } of questions.filter(({ ofAssignments }) => ofAssignments)) {
    expect(await account.kpi('v1', today, 'report', ...words)).toMatchObject({ code: 7, stdout: '' })
  }
})
