import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseDay } from '../../src/domain/day.ts'
import { asOfEarlierVersion, receiptsOf } from '../support/older-receipt.ts'
import { embeddedUser, fillShop } from '../support/user.ts'

test.each([
  [
    'of another account',
    '.receipt.jsonl',
    (text: string) => text.replace('account default', 'account other'),
    'of account other',
  ],
  [
    'of an earlier version, of which entries are missing',
    '.entries.jsonl',
    (text: string) => text.slice(0, 30),
    'is damaged',
  ],
])('a receipt %s takes nothing back, and stays', async (_, ending, spoil, said) => {
  await using user = await embeddedUser()
  await fillShop(user)
  writeFileSync(user.folder.in('a.csv'), 'user,kpi,date,actual\n2,1,2026-01-01,1\n2,1,2026-01-02,2\n')
  await user.kpi('entries', 'import', 'a.csv', '--quiet')
  const folder = receiptsOf(user)
  const [name = ''] = readdirSync(folder).flatMap((one) => /^(.*)\.receipt\.jsonl$/.exec(one)?.[1] ?? [])
  const day = parseDay('2026-01-01') ?? 0
  asOfEarlierVersion(user, name, [
    { key: [2, 1, day], before: undefined, after: { actual: 1_0000n } },
    { key: [2, 1, day + 1], before: undefined, after: { actual: 2_0000n } },
  ])
  const path = join(folder, readdirSync(folder).find((name) => name.endsWith(ending)) ?? '')
  const whole = readFileSync(path, 'utf8')
  writeFileSync(path, spoil(whole))
  const refused = await user.kpi('entries', 'undo', name, '--yes')
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(said)])
  writeFileSync(path, whole)
  expect((await user.kpi('entries', 'undo', name, '--yes')).stderr).toContain('removed 2 entries')
})

test('an import whose folder of journals is away is not taken back, and the way out is right', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  writeFileSync(user.folder.in('a.csv'), 'user,kpi,date,actual\n2,1,2026-01-01,1\n2,1,2026-01-02,2\n')
  await user.kpi('entries', 'import', 'a.csv', '--journal', 'share/my journals', '--quiet')
  renameSync(user.folder.in('share'), user.folder.in('away'))
  const [receipt = ''] = readdirSync(user.folder.in('.local/state/kpi/receipts')).flatMap(
    (name) => /^(.*)\.receipt\.jsonl$/.exec(name)?.[1] ?? [],
  )
  const refused = await user.kpi('entries', 'undo', receipt, '--yes')
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('journal is not there: ')])
  execFileSync('/bin/sh', ['-c', /mkdir -p .*/.exec(refused.stderr)?.[0] ?? 'false'])
  expect((await user.kpi('entries', 'undo', receipt, '--yes')).stderr).toContain('removed 2 entries')
})
