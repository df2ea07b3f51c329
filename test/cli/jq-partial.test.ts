import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { embeddedUser, fillShop } from '../support/user.ts'

test('--jq filters the summary of an import that rejected rows', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  writeFileSync(user.folder.in('in.csv'), 'user,kpi,date,actual\n2,Revenue,2026-11-01,1\n2,Revenue,2026-11-02,x\n')
  const ran = await user.kpi('entries', 'import', 'in.csv', '-o', 'json', '--jq', '.created')
  expect([ran.code, ran.stdout]).toEqual([3, '1\n'])
})
