import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { shellIn } from '../support/kpi.ts'

test('kpi demo shows the commands that it runs, and their output alone on standard output', async () => {
  using home = temporaryFolder()
  const { code, stdout, stderr } = await shellIn({ home: home.path })('demo')
  expect(code).toBe(0)
  expect(stderr.match(/^\$ kpi .*/gm)?.map((line) => line.split(' ').slice(2, 4).join(' '))).toEqual([
    'kpis create',
    'users create',
    'entries import',
    'entries import',
    'report --from',
  ])
  expect(stdout).not.toContain('$ kpi')
  // Typed again, each goes to the sample account.
  expect(stderr.match(/^\$ kpi .* --data-dir \S+demo/gm)).toHaveLength(5)
  expect(stdout).toMatch(/^ *Confirmed +World +2022-04-16 +504,155,459 /m)
  expect(stderr).toContain(`kpi --data-dir ${home.in('.local/share/kpi/demo')} kpis list\n`)
  expect(existsSync(home.in('.local/share/kpi/kpi.db'))).toBe(false)
})

test('kpi demo passes its flags on, and a second one changes nothing', async () => {
  using home = temporaryFolder()
  const demo = (): ReturnType<ReturnType<typeof shellIn>> =>
    shellIn({ home: home.path })('demo', '--data-dir', 'here', '-o', 'csv', '--quiet')
  const first = await demo()
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toMatch(/^id,category_id,.*\n1,1,/)
  expect(existsSync(home.in('here/kpi.db'))).toBe(true)
  const again = await demo()
  expect(again).toMatchObject({ code: 0, stderr: '' })
  expect(again.stdout).toMatch(/^read,created,updated,unchanged,.*\n816,0,0,3263,/)
})

test('kpi demo leaves a folder alone that holds something else', async () => {
  using home = temporaryFolder()
  const kpi = shellIn({ home: home.path })
  await kpi('kpis', 'create', '--name', 'Sales', '--frequency', 'D', '--data-dir', 'here')
  const { code, stdout, stderr } = await kpi('demo', '--data-dir', 'here')
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(
    /^kpi demo: \S+here holds other KPIs; choose an empty folder for the sample with --data-dir\n$/,
  )
})
