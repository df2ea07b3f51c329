import { expect, test } from 'vitest'
import { embeddedUser, fillShop } from '../support/user.ts'

test('a cache folder that the system allows nowhere does not hurt a command', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const ran = await user.kpiIn({ env: { XDG_CACHE_HOME: '/proc' } }, 'kpis', 'list', '-o', 'json')
  expect(ran).toMatchObject({ code: 0, stderr: '' })
})
