import { mkdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { embeddedUser, fillShop } from '../support/user.ts'

test('a folder in the place of --to-file is refused before anything is printed', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  mkdirSync(user.folder.in('D'))
  expect(await user.kpi('kpis', 'list', '--to-file', 'D', '-o', 'json')).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('D is a folder; name a file') as unknown,
  })
})
