import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { embeddedImporter, heldIn, type Importer } from '../support/import.ts'
import { type Ran, shellIn } from '../support/kpi.ts'

const SECRET = 'c4nary-s3cret-w0rd'
const ROWS = 'user,kpi,date,actual\nann@example.com,Sales,2026-03-01,1\n'
const BAD = `${ROWS}nobody,Sales,2026-03-02,x\n`

let server: Server
let importer: Importer
let taken: string[]
let base: string
beforeEach(async () => {
  taken = []
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost')
    if (pathname === '/hook') {
      request.setEncoding('utf8').on('data', (text: string) => taken.push(text))
      request.on('end', () => response.end())
    } else if (pathname === '/good.csv') response.end(ROWS)
    else if (pathname === '/bad.csv') response.end(BAD)
    else if (pathname === '/cut.csv') response.writeHead(200, { 'content-length': '9999' }).end(ROWS)
    else if (pathname === '/odd.csv') response.end(`${SECRET.length}\n\n`)
    else if (pathname === '/slow.csv') response.writeHead(200).write(ROWS)
    else if (pathname === '/moved.csv') response.writeHead(302, { location: `/good.csv?key=${SECRET}` }).end()
    else if (pathname === '/away.csv')
      response.writeHead(302, { location: `http://ann:${SECRET}@files.example.com/x.csv?key=${SECRET}` }).end()
    else if (pathname === '/again.csv') response.writeHead(302, { location: `/again.csv?key=${SECRET}` }).end()
    else response.writeHead(404).end(SECRET.slice(0, 3))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  base = `127.0.0.1:${(server.address() as AddressInfo).port}`
  importer = await embeddedImporter()
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await importer[Symbol.asyncDispose]()
})

/** Where a secret may be in an address. */
const PLACES: readonly ((scheme: string, host: string, path: string) => string)[] = [
  (scheme, host, path) => `${scheme}://${host}/${path}?token=${SECRET}`,
  (scheme, host, path) => `${scheme}://${host}/${path}?${SECRET}`,
  (scheme, host, path) => `${scheme}://${host}/${path}?a[]={x}&sig=${SECRET}*`,
  (scheme, host, path) => `${scheme}://${host}/${path}#${SECRET}`,
  (scheme, host, path) => `${scheme}://ann:${SECRET}@${host}/${path}`,
  (scheme, host, path) => `${scheme}://${SECRET}@${host}/${path}`,
]

const PATHS = ['good', 'bad', 'cut', 'odd', 'slow', 'moved', 'away', 'again', 'missing'].map((name) => `${name}.csv`)

/** Addresses of every form, of which a few cannot be read. */
const addresses = (): string[] => [
  ...PLACES.flatMap((place, at) => [
    ...PATHS.filter((_, path) => at === 0 || path % 3 === at % 3).map((path) => place('http', base, path)),
    place('HTTP', base, 'good.csv'),
    place('https', '127.0.0.1:1', 'refused.csv'),
    place('HTTPS', '127.0.0.1:1', 'refused.csv'),
    place('http', 'files.example.com', 'plain.csv'),
    place('https', '[bad', 'x.csv'),
    ...['ftp', 'file', 's3', 'postgres', 'mysql', 'sftp'].map((scheme) => place(scheme, 'host.example', 'x.csv')),
  ]),
  ` https://127.0.0.1:1/x.csv?token=${SECRET}`,
  `https:/127.0.0.1:1/x.csv?token=${SECRET}`,
  `https:127.0.0.1:1/x.csv?token=${SECRET}`,
]

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith('.yaml'))

/** Returns where the secret got out to. */
const leaks = ({ stdout, stderr }: Ran): string[] => {
  const said = { stdout, stderr, webhook: taken.join('\n') }
  const files = filesBelow(importer.folder.path).map((path) => [path, readFileSync(path, 'latin1')] as const)
  const forms = [SECRET, Buffer.from(SECRET).toString('base64').slice(0, 20)]
  return [...Object.entries(said), ...files].flatMap(([where, text]) =>
    forms.some((form) => text.includes(form)) || filesBelow(importer.folder.path).some((one) => one.includes(SECRET))
      ? [`${where}: ${text}`]
      : [],
  )
}

/** Commands that read a file at an address, each told in another way. */
const LINES: readonly (readonly string[])[] = [
  ['entries', 'import'],
  ['entries', 'import', '--debug', '--log-format', 'json', '-o', 'json'],
  ['entries', 'import', '--dry-run'],
  ['entries', 'import', '--explain', '--verbose'],
  ['entries', 'import', '--verify', '--save-mapping', 'mapping', '--max-errors', '1'],
  ['entries', 'import', '--sql', 'select 1', '--from-db', 'none.db'],
  ['kpis', 'import', '--verbose'],
  ['assign', 'import', '--dry-run'],
  ['entries', 'imprt'],
  ['kpis', 'list'],
]

const shell = (): Importer['kpi'] =>
  shellIn({ ...importer.world, alarm: (milliseconds) => AbortSignal.timeout(Math.min(milliseconds, 200)) })

test.each(LINES.map((line) => [line.join(' '), line]))(
  'no secret of an address gets out of kpi %s',
  async (_, line) => {
    for (const address of addresses()) {
      const ran = await shell()(...line, address, '--timeout', '1s')
      expect([address, leaks(ran)]).toEqual([address, []])
      expect([address, ran.code]).not.toEqual([address, 130])
    }
    expect(leaks(await importer.kpi('history', '-o', 'json'))).toEqual([])
    expect(leaks(await importer.kpi('doctor'))).toEqual([])
  },
  120_000,
)

test('no secret of an address gets out of a job, to its log or to its webhook', async () => {
  for (const [at, address] of addresses().entries()) {
    const target = at % 2 === 0 ? JSON.stringify(address) : `[${JSON.stringify(address)}]`
    const extra = at % 7 === 0 ? '    move_to: done\n' : ''
    importer.write(
      'job.yaml',
      `log: job.log\nsteps:\n  - import: ${target}\n${extra}    on_failure: continue\n  - webhook: http://${base}/hook\n`,
    )
    for (const flags of [['--dry-run'], ['-o', 'json', '--debug'], ['--log-format', 'json']]) {
      const ran = await shell()('run', 'job.yaml', '--timeout', '1s', ...flags)
      expect([address, flags, leaks(ran)]).toEqual([address, flags, []])
    }
  }
}, 240_000)

test('an address in a job is an address, and no pattern of files', async () => {
  const hook = `  - webhook: http://${base}/hook\n`
  importer.write('job.yaml', `steps:\n  - import: "http://${base}/good.csv?token=${SECRET}"\n${hook}`)
  const ran = await importer.kpi('run', 'job.yaml', '-o', 'json')
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([
    0,
    [{ command: `entries import http://${base}/good.csv`, outcome: 'done' }, {}],
  ])
  expect(await heldIn(importer)).toHaveLength(1)
  expect(JSON.parse(taken.join(''))).toMatchObject({ steps: [{ command: `entries import http://${base}/good.csv` }] })
})
