import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorOf } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
  await user.kpi('kpis', 'create', '--name', 'Quota', '--frequency', 'D', '--unit', 'Percent')
  await user.kpi('kpis', 'create', '--name', 'Revenue', '--frequency', 'D')
  for (const name of ['Ann', 'Total'])
    await user.kpi('users', 'create', '--first-name', name, '--email', `${name.toLowerCase()}@example.com`)
})
afterAll(() => user[Symbol.asyncDispose]())

/** Each makes something of the file doubtful: a second column of users, dates of two readings, and so on. */
const DOUBTS = ['column', 'date', 'sign', 'word', 'total', 'percentage'] as const
type Doubt = (typeof DOUBTS)[number]

/** What of the file each doubt is about, as the import names it. */
const FIELDS: Readonly<Record<Doubt, string>> = {
  column: 'user',
  date: 'date',
  sign: 'actual',
  word: 'actual, target',
  total: 'line 5',
  percentage: 'Quota',
}

const fileWith = (doubts: ReadonlySet<Doubt>): string => {
  const say = (doubt: Doubt, doubtful: string, clear: string): string => (doubts.has(doubt) ? doubtful : clear)
  const day = (of: number): string => say('date', `0${of}/03/2026`, `2026-03-0${of}`)
  return [
    `user,${say('column', 'employee', 'x')},kpi,date,actual,target`,
    `Ann,Ann,Revenue,${day(1)},"${say('sign', '1,250', '1.5')}",`,
    `Ann,Ann,Revenue,${day(2)},${say('word', 'n/a', '2')},`,
    `Ann,Ann,Quota,${day(1)},${say('percentage', '0.5', '50')},${say('word', 'n/a', '')}`,
    `${say('total', 'Total', 'Ann')},Ann,Quota,${day(3)},${say('percentage', '0.4', '40')},${say('word', 'n/a', '')}`,
    '',
  ].join('\n')
}

/** What cannot be seen: rows without an owner show no totals, and percentages below 1 that the sign is a point. */
const isHidden = (doubt: Doubt, doubts: ReadonlySet<Doubt>): boolean =>
  (doubts.has('column') && (doubt === 'total' || doubt === 'percentage')) ||
  (doubts.has('percentage') && doubt === 'sign')

/** Every combination of doubts, by the bits of a number. */
const combinations = Array.from({ length: 2 ** DOUBTS.length - 1 }, (_, bits) =>
  DOUBTS.filter((_doubt, at) => ((bits + 1) >> at) % 2 === 1),
)

test.each(combinations.map((some) => [some]))('asks of %j at once', async (some) => {
  const doubts = new Set(some)
  writeFileSync(user.folder.in('data.csv'), fileWith(doubts))
  const ran = await user.kpi('entries', 'import', 'data.csv', '--create-assignments', '--dry-run', '-o', 'json')
  const { issues } = errorOf(ran)
  const asked = issues.map(({ field }) => field)
  const wanted = [...doubts].filter((doubt) => !isHidden(doubt, doubts)).map((doubt) => FIELDS[doubt])
  expect([ran.code, asked.toSorted()]).toEqual([1, wanted.toSorted()])
  const explained = await user.kpi('entries', 'import', 'data.csv', '--create-assignments', '--explain', '-o', 'json')
  const texts = explained.stdout + explained.stderr
  for (const { message } of issues) expect(texts).toContain(JSON.stringify(message).slice(1, -1))
})

test('a file without any of these is imported', async () => {
  writeFileSync(user.folder.in('data.csv'), fileWith(new Set()))
  expect(await user.kpi('entries', 'import', 'data.csv', '--create-assignments')).toMatchObject({ code: 0 })
})
