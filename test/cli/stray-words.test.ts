import { afterAll, beforeAll, expect, test } from 'vitest'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
})
afterAll(async () => {
  await user[Symbol.asyncDispose]()
})

const NO_FLAG = 'is too much: no flag stands before it'

test.each<[line: string, message: string]>([
  ['categories create Service', `kpi categories create: Service ${NO_FLAG} (Did you mean --name Service?)`],
  ['kpis create Net promoter score', `kpi kpis create: Net ${NO_FLAG} (Did you mean --name 'Net promoter score'?)`],
  ['kpis create --name Net promoter', `kpi kpis create: promoter ${NO_FLAG} (Did you mean --name 'Net promoter'?)`],
  ['users create Ann', `kpi users create: Ann ${NO_FLAG} (Did you mean --first-name Ann?)`],
  ['assign add Sales', `kpi assign add: Sales ${NO_FLAG} (Did you mean --kpis Sales?)`],
  ['entries list Sales', `kpi entries list: Sales ${NO_FLAG} (Did you mean --kpi Sales?)`],
  ['entries list yesterday', `kpi entries list: yesterday ${NO_FLAG} (Did you mean --from yesterday?)`],
  [
    'entries list --to yesterday --from last month',
    `kpi entries list: month ${NO_FLAG} (Did you mean --from 'last month'?)`,
  ],
  ['entries list --from -30d Sales', `kpi entries list: Sales ${NO_FLAG} (Did you mean --kpi Sales?)`],
  ['entries list --kpi Sales Ann', `kpi entries list: Ann ${NO_FLAG} (Did you mean --kpi 'Sales Ann' or --user Ann?)`],
  ['report sales', `kpi report: sales ${NO_FLAG} (Did you mean --kpis sales?)`],
  ['report 2026-10', `kpi report: 2026-10 ${NO_FLAG} (Did you mean --from 2026-10?)`],
  ['kpis get Net promoter', "kpi kpis get: promoter is too much: it takes 1 word (Did you mean 'Net promoter'?)"],
  ['doctor now', `kpi doctor: now ${NO_FLAG} (kpi doctor --help shows what it takes)`],
])('kpi %s', async (line, message) => {
  const ran = await user.kpi(...line.split(' '))
  expect(ran).toEqual({ code: 2, stdout: '', stderr: `kpi: ${message}\n` })
})
