import { expect, test } from 'vitest'
import { embeddedUser } from '../support/user.ts'

const CUT_OFF = "the profile's token command had not ended after 0.3 seconds and was cut off; --timeout allows it more"

test.each([
  ['a command', ['kpis', 'list'], 4],
  ['kpi doctor', ['doctor'], 4],
  ['kpi profiles check', ['profiles', 'check'], 4],
] as const)('a token command of %s ends by the timeout', async (_, line, code) => {
  await using user = await embeddedUser()
  const remote = ['--base-url', 'http://127.0.0.1:9/v1', '--token-command', 'exec sleep 8', '--no-check']
  await user.kpi('profiles', 'add', 'tc', ...remote)
  const begun = performance.now()
  const ran = await user.kpi('--profile', 'tc', ...line, '--timeout', '300ms')
  expect(ran).toMatchObject({ code, stderr: expect.stringContaining(CUT_OFF) as string })
  expect(performance.now() - begun).toBeLessThan(6000)
})

test('a token command ends by the deadline', async () => {
  await using user = await embeddedUser()
  const remote = ['--base-url', 'http://127.0.0.1:9/v1', '--token-command', 'exec sleep 8', '--no-check']
  expect((await user.kpi('profiles', 'add', 'tc', ...remote)).code).toBe(0)
  const begun = performance.now()
  const ran = await user.kpi('--profile', 'tc', 'kpis', 'list', '--deadline', '1s')
  expect(ran).toMatchObject({
    code: 6,
    stderr: "kpi: the deadline (1s) has passed; the profile's token command had not ended\n",
  })
  expect(performance.now() - begun).toBeLessThan(6000)
}, 20_000)
