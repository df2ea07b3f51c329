import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { NOW } from '../support/io.ts'
import { jsonOf } from '../support/kpi.ts'
import { embeddedUser, fillShop, type User } from '../support/user.ts'

/** Imports two entries of Ann Lee, and returns the name of the receipt. */
const load = async (user: User, file = 'data.csv', actual = 1): Promise<string> => {
  writeFileSync(user.folder.in(file), `user,kpi,date,actual\n2,1,2026-01-01,${actual}\n2,1,2026-01-02,${actual}\n`)
  return (jsonOf(await user.kpi('entries', 'import', file, '-o', 'json')) as { receipt: string }).receipt
}

test('an import that was taken back already is said to be, with the time, and nothing is changed', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const receipt = await load(user)
  await user.kpi('entries', 'undo', receipt, '--yes')
  // The same values, entered by somebody since, are not those of the import.
  for (const day of ['2026-01-01', '2026-01-02'])
    await user.kpi('entries', 'add', '--user', 'Ann Lee', '--kpi', 'Revenue', '--date', day, '--actual', '1')
  const later = { now: NOW + 3_600_000 }
  for (const flags of [['--yes'], [], ['--dry-run']])
    expect(await user.kpiIn(later, 'entries', 'undo', receipt, ...flags, '-o', 'json')).toMatchObject({
      code: 0,
      stdout: '[]\n',
      stderr: `the import of data.csv was taken back already, on ${new Date(NOW).toISOString().slice(0, 10)} at ${new Date(NOW).toISOString().slice(11, 16)} UTC; nothing was changed\n`,
    })
  expect((await user.kpi('entries', 'undo', receipt)).stdout).toBe('')
  expect(await user.client.entries.get(7)).toMatchObject({ actual: 1_0000n })
  // What is kept says when, and no longer holds the values.
  expect(readdirSync(user.folder.in('.local/state/kpi/receipts'))).toEqual([`${receipt}.receipt.jsonl`])
})

const receiptsOf = (user: User): string => user.folder.in('.local/state/kpi/receipts')

test('receipts that cannot be read are named with the reason, and the others are listed', async () => {
  await using user = await embeddedUser()
  await fillShop(user)
  const receipt = await load(user)
  const folder = receiptsOf(user)
  const spoiled = (name: string): string => `${folder}/20200101T000000-${name}.receipt.jsonl`
  writeFileSync(spoiled('empty'), '')
  writeFileSync(spoiled('cut'), '{"service":"/srv/k')
  writeFileSync(spoiled('text'), 'hello\n')
  mkdirSync(spoiled('folder'))
  const ran = await user.kpi('entries', 'undo', '-o', 'json')
  expect(jsonOf(ran)).toMatchObject([{ receipt }])
  expect(ran.stderr.trimEnd().split('\n')).toEqual([
    `not listed: cannot read ${spoiled('cut')}: its first line is not that of a receipt`,
    `not listed: cannot read ${spoiled('empty')}: it is empty`,
    `not listed: cannot read ${spoiled('folder')}: it is a directory`,
    `not listed: cannot read ${spoiled('text')}: its first line is not that of a receipt`,
  ])
  expect(await user.kpi('entries', 'undo', '20200101T000000-empty')).toMatchObject({
    code: 1,
    stderr: `kpi: cannot read ${spoiled('empty')}: it is empty\n`,
  })
})

