import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { jobParts, partsOf, STEP_KINDS } from '../../src/cli/commands/run/job-definition.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { describeProgram } from '../../src/cli/program.ts'
import { embeddedImporter, heldIn, type Importer } from '../support/import.ts'
import { testIo } from '../support/io.ts'
import { type Ran, shellIn } from '../support/kpi.ts'
import { some } from '../support/soak/tests.ts'

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

/** What an address without its scheme, or with what is left of one, begins with. */
const BARE = [
  'www.h.example',
  'h.example:8443',
  'localhost:8443',
  './www.h.example/a/b',
  '//h',
  'https//h',
  'https;//h',
  'HTTP/h.example',
  'localhost',
  '[::1]:8080',
  '/h.example',
  'htps//h.example',
  '://h.example',
  'h.example:',
  'h.example.',
  's3:/bucket',
  'h.example/my data',
  "h.example/a'b",
]

/** What an address without its scheme ends with. */
const ENDS = ['/x.csv?SECRET', '/x.csv#token=SECRET', '/x.csv;token=SECRET', '?token=SECRET', '/x.csv?a=b token=SECRET']

/** Addresses of every form, of which a few cannot be read. The suite draws some each time. */
const addresses = (): readonly string[] =>
  some(14, [
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
    `//ann:${SECRET}@files.example.com/x.csv`,
    `//${SECRET}@files.example.com/x.csv?token=${SECRET}`,
    ...BARE.map((bare) => `${bare}/x.csv?v=1&token=${SECRET}`),
    ...ENDS.map((end) => `files.example.com${end.replace('SECRET', SECRET)}`),
    `ann:${SECRET}@files.example.com/x.csv`,
  ])

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith('.yaml'))

/** Returns where the secret got out to; the user may name a file or a folder by it. */
const leaks = ({ stdout, stderr }: Ran, mayBeName = false): string[] => {
  const said = { stdout, stderr, webhook: taken.join('\n') }
  const files = filesBelow(importer.folder.path).map((path) => [path, readFileSync(path, 'latin1')] as const)
  const forms = [SECRET, Buffer.from(SECRET).toString('base64').slice(0, 20)]
  const names = mayBeName ? readdirSync(importer.folder.path, { recursive: true, encoding: 'utf8' }) : []
  const named = names.filter((name) => name.includes(SECRET)).map((name) => join(importer.folder.path, name))
  const withoutNames = (text: string): string => named.reduce((rest, path) => rest.replaceAll(path, ''), text)
  return [...Object.entries(said), ...files].flatMap(([where, text]) =>
    forms.some((form) => withoutNames(text).includes(form)) ||
    (!mayBeName && filesBelow(importer.folder.path).some((one) => one.includes(SECRET)))
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
  for (const [at, address] of some(7, [...addresses().entries()])) {
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

/** Jobs with a text in each of their fields. */
const JOBS: readonly ((text: string) => string)[] = [
  ...Object.keys(jobParts).map((part) => (text: string) => `${part}: ${text}\nsteps:\n  - report:\n`),
  ...STEP_KINDS.flatMap((kind) => [
    (text: string) => `steps:\n  - ${kind}: ${text}\n    on_failure: continue\n`,
    (text: string) => `steps:\n  - ${kind}: good.csv\n    ${text}: x\n`,
    ...partsOf(kind)
      .filter((part) => part !== 'flags')
      .map((part) => (text: string) => `steps:\n  - ${kind}: good.csv\n    ${part}: ${text}\n`),
  ]),
  (text) => `steps: ${text}\n`,
  (text) => `${text}: x\n`,
  (text) => `steps:\n  - ${text}\n`,
  (text) => `steps: *${text}\n`,
  (text) => `steps:\n  - export: ${text}\n    flags: { force: true, ${text}: x }\n`,
  (text) => `steps:\n  - export_entries: "out.csv"\n    flags: ${text}\n`,
]

/** Makes other texts of an address, which are none, or of which a command makes others. */
const TEXTS: readonly ((address: string) => string)[] = [
  (address) => address,
  (address) => `./${address}`,
  (address) => `{date}${address}`,
  (address) => `user=${address}`,
  (address) => address.replace(/^\w+:\/\/.*?(?=\/)/, `jdbc:sqlserver://h;password=${SECRET}`),
  (address) => address.replace(/^\w+:\/\/.*?(?=\/)/, `//u:${SECRET}@h`),
  (address) => within(address, '\n'),
  (address) => within(address, '\0'),
  (address) => within(address, '\ud800'),
]

/** Puts a character before the name of a secret in an address. */
const within = (address: string, character: string): string =>
  address.replace(/token=|X-Sig=|v=/, (name) => `${character}&${name}`)

/** Matches what is in no text of a job: it can be no path, and no word of a command. */
const IN_NO_TEXT = /\0|\p{Cs}/u

const SOME = [
  `https://u:${SECRET}@h.invalid/x.csv?token=${SECRET}`,
  `s3://b/k?X-Sig=${SECRET}`,
  `https://h.invalid/x.csv;v=${SECRET}#${SECRET}`,
  `www.h.example/x.csv?token=${SECRET}`,
  `h:8443/x.csv?token=${SECRET}`,
]

test.each(TEXTS.map((make, at) => [at, make] as const))(
  'no secret of an address in any field of a job gets out: form %i',
  async (_, make) => {
    importer.write('good.csv', ROWS)
    for (const [at, job] of some(10, [...JOBS.entries()])) {
      const address = make(SOME[at % SOME.length] ?? '')
      importer.write('job.yaml', job(JSON.stringify(address)))
      for (const flags of at % 2 === 0 ? [['-o', 'json']] : [['--dry-run'], ['--debug']]) {
        const ran = await shell()('run', 'job.yaml', '--timeout', '1s', ...flags)
        expect([job(address), flags, leaks(ran, true)]).toEqual([job(address), flags, []])
        if (!IN_NO_TEXT.test(address)) continue
        expect([job(address), flags, ran.code, ran.stderr]).toEqual([
          job(address),
          flags,
          EXIT.usage,
          expect.stringMatching(/\bline \d/),
        ])
      }
    }
  },
  120_000,
)

test('no secret of an address in a flag gets out', async () => {
  importer.write('good.csv', ROWS)
  const program: CommandUnknownOpts = await describeProgram('', testIo({ home: '/' }).io)
  for (const words of [['entries', 'import'], ['check'], ['report'], ['report', 'export'], ['entries', 'export']]) {
    const command = words.reduce<CommandUnknownOpts | undefined>(
      (found, word) => found?.commands.find((one) => one.name() === word),
      program,
    )
    const named = command?.options.filter(({ required, long, hidden }) => required && long && !hidden) ?? []
    expect(named.length).toBeGreaterThan(5)
    for (const [at, { long = '' }] of some(8, [...named.entries()])) {
      const text = TEXTS[at % TEXTS.length]?.(SOME[at % SOME.length] ?? '') ?? ''
      const ran = await shell()(
        ...words,
        ...(words[1] === 'import' ? ['good.csv'] : []),
        long,
        text,
        '--timeout',
        '1s',
        '-o',
        'json',
      )
      expect([long, text, leaks(ran, true)]).toEqual([long, text, []])
    }
  }
}, 120_000)

test.each([`files.example.com/x.csv?token=${SECRET}`, `localhost/*.csv?v=${SECRET}`])(
  'a job does not take an address without its scheme for a pattern, also beside files that are there: %#',
  async (address) => {
    importer.write('good.csv', ROWS)
    importer.write('job.yaml', `steps:\n  - import: ["good.csv", ${JSON.stringify(address)}]\n`)
    for (const flags of [[], ['--dry-run']]) {
      const ran = await importer.kpi('run', 'job.yaml', ...flags)
      expect([ran.code, leaks(ran)]).toEqual([2, []])
      expect(ran.stderr).toContain('seems to be an address, of which what may be secret is not shown: write https://')
    }
  },
)

test('files and patterns with a question mark are shown, opened and moved by their names', async () => {
  const names = ['data?.csv', 'a?b=c.csv', 'in.d/x?y=z.csv', 'v1.2.csv?b=c.csv']
  importer.write(
    'job.yaml',
    `steps:\n  - import: ${JSON.stringify(names.map((name) => name.replace('in.d', 'ind')))}\n`,
  )
  const { stderr } = await importer.kpi('run', 'job.yaml')
  for (const name of names.filter((one) => !one.includes('/'))) expect(stderr).toContain(name)
  if (process.platform === 'win32') return
  mkdirSync(importer.folder.in('in.d'))
  importer.write('in.d/x?y=z.csv', ROWS)
  importer.write('job.yaml', `steps:\n  - import: "in.d/x?y=z.csv"\n    move_to: done\n`)
  const ran = await importer.kpi('run', 'job.yaml')
  expect([ran.code, readdirSync(importer.folder.in('done'))]).toEqual([0, ['x?y=z.csv']])
  expect(ran.stderr).not.toContain('y=z')
})

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
