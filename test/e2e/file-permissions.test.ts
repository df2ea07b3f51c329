import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makePair } from '../support/certificates.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { type Ended, KPI, runKpi, startProgram } from '../support/process.ts'

/** Runs `kpi` where files and folders are made for everybody, unless it says otherwise. */
const runOpenly = (home: Folder, ...args: string[]): Promise<Ended> =>
  startProgram(home, ['/bin/sh', '-c', 'umask 000; exec "$@"', 'sh', ...KPI, ...args]).ended

const rightsOf = (folder: Folder): Map<string, number> =>
  new Map(
    readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).map((name) => [
      name,
      statSync(join(folder.path, name)).mode & 0o777,
    ]),
  )

test('whatever is made where everything is for everybody, others cannot write', async () => {
  using home = temporaryFolder()
  writeFileSync(home.in('data.csv'), 'user,kpi,date,actual\nadmin@localhost,Sales,2026-03-02,1\nNobody,Sales,x,y\n', {
    mode: 0o600,
  })
  const runs = [
    ['kpis', 'create', '--name', 'Sales', '--no-input'],
    ['assign', 'add', '--user', 'admin@localhost', '--kpi', 'Sales', '--no-input'],
    ['entries', 'import', 'data.csv', '--max-errors', '9', '--verify', '--no-input', '--save-mapping', 'sales'],
    ['entries', 'export', '--from', '2026-01-01', '--to', '2026-12-31', '--to-file', 'out/of/it.csv'],
    ['entries', 'export', '--from', '2026-01-01', '--to', '2026-12-31', '--to-file', 'out.csv'],
    ['service', 'backup', 'kpi.backup'],
    [
      'profiles',
      'add',
      'acme',
      '--base-url',
      'https://acme.example.com/api',
      '--login',
      'ann@example.com',
      '--no-check',
    ],
  ]
  const said: string[] = []
  for (const args of runs) said.push((await runOpenly(home, ...args)).stderr)
  const rights = rightsOf(home)
  expect([...rights].filter(([, mode]) => (mode & 0o022) !== 0)).toEqual([])
  // What was made of a file that is its owner's alone, or of the store, is the owner's alone as well.
  for (const name of ['data.rejects.csv', 'data.receipt.json', 'out.csv', 'kpi.backup'])
    expect([name, rights.get(name), said]).toEqual([name, 0o600, said])
})

test('HTTPS is not served with a key that others can read, and it is said how to mend that', async () => {
  using home = temporaryFolder()
  const { cert, key } = await makePair()
  writeFileSync(home.in('cert.pem'), cert)
  writeFileSync(home.in('key.pem'), key)
  chmodSync(home.in('key.pem'), 0o640)
  const args = ['serve', '--port', '0', '--tls-cert', 'cert.pem', '--tls-key', 'key.pem']
  const { code, stderr } = await runKpi(home, args)
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining(`${home.in('key.pem')} can be read by others; fix it with: chmod 600`) as string,
  })
  chmodSync(home.in('key.pem'), 0o600)
  const serving = startProgram(home, [...KPI, ...args])
  expect((await serving.says(/(https:\S+)/))[1]).toContain('https://')
})
