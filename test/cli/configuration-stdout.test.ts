import { existsSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { embeddedUser, fillShop } from '../support/user.ts'

test.each([
  [['dump', '--to-file', '-'], /^# A configuration of kpi/],
  [['plan', 'kpi.yaml', '--to-file', '-'], /^\{/],
])('%j writes to standard output', async (line, start) => {
  await using user = await embeddedUser()
  await fillShop(user)
  writeFileSync(user.folder.in('kpi.yaml'), 'categories: [{ name: Sales }]\n')
  const { code, stdout } = await user.kpi(...line)
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(start) as unknown })
  expect(existsSync(user.folder.in('-'))).toBe(false)
})
