import { expect, test } from 'vitest'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { KPI, runKpi, type Running, startProgram } from '../support/process.ts'

const KPIS = ['kpis', 'list', '-o', 'csv', '--columns', 'name']

/** Starts `kpi` where no file can be written, as on a full disk: not one byte. */
const startWithoutRoom = (home: Folder, ...args: string[]): Running =>
  startProgram(home, ['/bin/sh', '-c', 'trap "" XFSZ; ulimit -f 0; exec "$@"', 'sh', ...KPI, ...args])

const addKpi = async (home: Folder, name: string): Promise<void> => {
  const { code, stderr } = await runKpi(home, ['kpis', 'create', '--name', name, '--frequency', 'D', '--quiet'])
  expect([code, stderr]).toEqual([0, ''])
}

test('a store is read where there is no room for anything, and not written', async () => {
  using home = temporaryFolder()
  await addKpi(home, 'Sales')
  expect(await startWithoutRoom(home, ...KPIS).ended).toMatchObject({
    code: 0,
    stdout: 'name\nSales\n',
    stderr: '',
  })
  const refused = await startWithoutRoom(home, 'kpis', 'create', '--name', 'Visits', '--frequency', 'D').ended
  expect(refused).toMatchObject({ code: 5, stdout: '' })
  expect(refused.stderr).toMatch(/^warning: .*; kpi undo cannot take this back\nkpi: the disk of .*kpi\.db /)
  const kept = await startWithoutRoom(home, 'kpis', 'delete', 'Sales', '--yes').ended
  expect(kept).toMatchObject({ code: 1, stdout: '' })
  expect(kept.stderr).toMatch(/^kpi: cannot .*; nothing is deleted, as kpi undo could not bring it back: make room/)
  expect((await runKpi(home, KPIS)).stdout).toBe('name\nSales\n')
})

test('a service starts there, counts its limits, and sees at once what others write', async () => {
  using home = temporaryFolder()
  await addKpi(home, 'Sales')
  await runKpi(home, ['service', 'accounts', 'enable-api', 'default'])
  const { stdout } = await runKpi(home, ['service', 'token', 'create', '-o', 'json'])
  const { login, token } = JSON.parse(stdout) as { login: string; token: string }
  const { says } = startWithoutRoom(home, 'serve', '--port', '0', '--rate-limit', '8')
  const [, url = ''] = await says(/^(http:\S+\/api)\n/)
  const headers = { authorization: `Basic ${btoa(`${login}:${token}`)}` }
  const names = async (): Promise<unknown> => {
    const answer = await fetch(`${url}/kpis`, { headers })
    return answer.ok ? ((await answer.json()) as { name: string }[]).map(({ name }) => name) : answer.status
  }
  expect(await names()).toEqual(['Sales'])
  const body = JSON.stringify({ name: 'Made' })
  const json = { ...headers, 'content-type': 'application/json' }
  expect((await fetch(`${url}/kpicategories`, { method: 'POST', headers: json, body })).status).toBe(503)
  for (const name of ['Visits', 'Leads']) {
    await addKpi(home, name)
    expect(await names()).toContain(name)
  }
  expect(await Promise.all(Array.from({ length: 8 }, names))).toContain(403)
})
