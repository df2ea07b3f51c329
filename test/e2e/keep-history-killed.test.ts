import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { openKiller } from '../support/killer.ts'
import { runHere } from '../support/kpi.ts'
import { startService, wayTo } from '../support/service.ts'

const DAYS = 11_000
const LINE = ['kpis', 'update', 'Revenue', '--target-default', '120', '--keep-history', '-o', 'json']

test('keeping targets that is killed, after a batch or before it, is continued by the same command', async () => {
  using home = temporaryFolder()
  await using service = await startService()
  const { client } = await wayTo(service)
  await client.kpis.add(kpiNamed('Revenue', { target_default: 100_0000n }))
  const { id: user_id } = await client.users.add(userNamed('Ann'))
  await client.assignments(user_id).add({ id: 1, sort_order: 1 })
  const drafts = Array.from({ length: DAYS }, (_, at) => ({ user_id, kpi_id: 1, entry_date: at, actual: 1n }))
  for (let at = 0; at < DAYS; at += 5000) await client.entries.addMany(drafts.slice(at, at + 5000))

  await using killer = await openKiller(home, service)
  const { env, killAt } = killer
  const written = async (): Promise<number> => {
    let count = 0
    for (let from = 0; from < DAYS; from += 500) {
      const list = await client.entries.list({ from, to: Math.min(from + 499, DAYS - 1) })
      count += list.filter(({ target }) => target === 100_0000n).length
    }
    return count
  }
  for (const [at, after, stored] of [
    [1, true, 5000],
    [2, false, 10_000],
  ] as const) {
    await killAt(LINE, at, after)
    expect([await written(), (await client.kpis.get(1)).target_default]).toEqual([stored, 100_0000n])
  }
  const last = await runHere(home, LINE, env)
  expect(last).toMatchObject({ code: 0 })
  expect(last.stderr).toContain('1000 stored entries got the target that counted until now')
  expect([await written(), (await client.kpis.get(1)).target_default]).toEqual([DAYS, 120_0000n])
})
