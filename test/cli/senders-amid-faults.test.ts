import { describe, expect, onTestFinished, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import type { Handler } from '../../src/server/wire.ts'
import { type Fault, faultyProxy, lose, refuse } from '../support/faulty-proxy.ts'
import { asThirdParty, fillAccount, ID, type Importer, remoteImporter } from '../support/import.ts'
import { oneIn, some } from '../support/soak/tests.ts'
import { NOW } from '../support/io.ts'
import { type Ran, shellIn } from '../support/kpi.ts'

const TODAY = Math.floor(NOW / 86_400_000)

/** What the account has beside that of other imports: entries, and group items. */
const fill = async (client: Client): Promise<void> => {
  await fillAccount(client)
  for (const ago of [0, 1, 2])
    for (const user_id of [ID.ann, ID.bob])
      await client.entries.add({ user_id, kpi_id: ID.sales, entry_date: TODAY - ago, actual: BigInt(ago) })
  const { id } = await client.groups.add({ name: 'Region', sort_order: 1 })
  for (const [at, name] of ['North', 'South', 'East'].entries()) {
    const item = await client.groupItems(id).add({ name, sort_order: at + 1 })
    if (at < 2) await client.userGroupItems(ID.lou).add({ id: item.id })
  }
}

/** A service of somebody else, which knows nothing of Idempotency-Keys. */
const foreign = (handler: Handler): Handler =>
  asThirdParty((request) => handler({ ...request, headers: { ...request.headers, 'idempotency-key': undefined } }))

const SERVICES = { bundled: undefined, foreign } as const

const doneAndFailed: Fault = async (response, pass) => {
  await pass()
  response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
}

const cut: Fault = (response) => void response.destroy()

const FAULTS: Readonly<Record<string, Fault>> = {
  'refused with 503': refuse(503, { 'retry-after': '1' }),
  'refused with 502': refuse(502),
  'cut before it is done': cut,
  'done, and its answer dropped': lose,
  'done, and answered with 502': doneAndFailed,
}

const json = (value: unknown): string => JSON.stringify(value)
const NAMES = ['One', 'Two', 'Three', 'Four']

/** Command lines that send many requests, each with the file that it reads, `FILE`. */
const LINES: Readonly<Record<string, readonly [line: readonly string[], file?: string]>> = {
  'kpis create': [['kpis', 'create', '--from-json', 'FILE'], json(NAMES.map((name) => ({ name, frequency_id: 'D' })))],
  'users create': [
    ['users', 'create', '--from-json', 'FILE'],
    json(NAMES.map((name) => ({ first_name: name, email: `${name}@example.com`, password: 'correct horse' }))),
  ],
  'groups create': [['groups', 'create', '--from-json', 'FILE'], json(NAMES.map((name) => ({ name })))],
  'group-items create': [
    ['group-items', 'create', '--group', 'Region', '--from-json', 'FILE'],
    json(NAMES.map((name) => ({ name }))),
  ],
  'kpis update': [['kpis', 'update', 'Sales', 'Visits', 'Spare', '--description', 'new']],
  'kpis update --keep-history': [
    ['kpis', 'update', 'Sales', 'Visits', '--target-default', '5', '--keep-history', '--yes'],
  ],
  'kpis delete': [['kpis', 'delete', 'Visits', 'Closed', 'Spare', '--yes']],
  'assign add': [['assign', 'add', '--kpis', 'Sales,Visits,Spare', '--users', 'all']],
  'assign add --target --keep-history': [
    ['assign', 'add', '--kpis', 'Visits', '--users', '3,4', '--target', '7', '--keep-history'],
  ],
  'assign update': [['assign', 'update', '--kpis', 'Sales', '--users', '2,3,4', '--sort-order', '9', '--yes']],
  'assign remove': [['assign', 'remove', '--kpis', 'Sales', '--users', '2,3,4', '--yes']],
  'assign import': [['assign', 'import', 'FILE'], 'user,Visits,Spare\nAnn Lee,4,x\nBob,6,x\nLou,8,x\n'],
  'assign group-items add': [['assign', 'group-items', 'add', '--group-items', 'North,South,East', '--users', '2,3']],
  'assign group-items remove': [
    ['assign', 'group-items', 'remove', '--group-items', 'North,South', '--users', '4', '--yes'],
  ],
  'users import': [
    ['users', 'import', 'FILE'],
    `first_name,email\n${NAMES.map((name) => `${name},${name}@example.com\n`).join('')}`,
  ],
  'entries import --create-missing': [
    ['entries', 'import', 'FILE', '--create-missing'],
    `date,user,${NAMES.join(',')}\n2026-11-02,Ann Lee,1,2,3,4\n2026-11-03,Bob,5,6,7,8\n`,
  ],
  'entries update': [['entries', 'update', '1', '2', '3', '--actual', '8']],
  'entries delete': [['entries', 'delete', '--from', '2026-11-19', '--to', '2026-11-21', '--yes']],
  apply: [
    ['apply', 'FILE'],
    json({
      categories: NAMES.map((name) => ({ name })),
      units: NAMES.map((name) => ({ name })),
      kpis: NAMES.map((name) => ({ name, category: name, unit: name, frequency: 'daily' })),
    }),
  ],
}

/** What the account holds. */
const heldIn = async ({ client }: Importer): Promise<unknown> => {
  const [kpis, users, groups] = [await client.kpis.list(), await client.users.list(), await client.groups.list()]
  const ids = users.map(({ id }) => id)
  return {
    kpis,
    users,
    groups,
    categories: await client.categories.list(),
    units: await client.units.list(),
    items: await Promise.all(groups.map(({ id }) => client.groupItems(id).list())),
    assignments: await Promise.all(ids.map((id) => client.assignments(id).list())),
    itemsOfUsers: await Promise.all(ids.map((id) => client.userGroupItems(id).list())),
    entries: await client.entries.list({ from: TODAY - 30, to: TODAY }),
  }
}

/** What a run tells of its requests and its time, which differ. */
const MEASURED = /"(requests|seconds|receipt)": ("[^"]*"|[\d.]+)/g

type Outcome = Pick<Ran, 'code' | 'stdout'> & { readonly held: unknown; readonly faults: number }

type Wrap = typeof foreign | undefined

/** Opens an account that is reached through a proxy, with the file of a line of the table. */
const open = async (
  name: string,
  wrap: Wrap,
  ...faults: Parameters<typeof faultyProxy> extends [string, ...infer F] ? F : never
) => {
  const importer = await remoteImporter({ fill, ...(wrap && { wrap }) })
  onTestFinished(() => importer[Symbol.asyncDispose]())
  const [line, file] = LINES[name] ?? [[]]
  if (file !== undefined) importer.write('FILE', file)
  const { origin } = new URL(importer.world.env?.['KPI_BASE_URL'] ?? '')
  const proxy = await faultyProxy(origin, ...faults)
  const env = { ...importer.world.env, KPI_BASE_URL: `${proxy.url}/api` }
  return {
    importer,
    line,
    kpi: shellIn({ ...importer.world, env }),
    onTerminal: shellIn({ ...importer.world, env, terminal: 80 }),
  }
}

const isChange = (_: string, method: string | undefined): boolean => method !== 'GET'

/** Runs a line of the table at a service; every second request that changes something suffers a fault. */
const runAmid = async (name: string, fault: Fault | undefined, wrap: Wrap): Promise<Outcome> => {
  let faults = 0
  const faultOf = (number: number): Fault | undefined => {
    if (number % 2 === 0 || !fault) return undefined
    faults += 1
    return fault
  }
  const { importer, line, kpi } = await open(name, wrap, faultOf, isChange)
  const { code, stdout, stderr } = await kpi(...line, '-o', 'json')
  if (code !== 0) expect(stderr).toBe('')
  return { code, stdout: stdout.replaceAll(MEASURED, ''), held: await heldIn(importer), faults }
}

describe.each(Object.entries(SERVICES).map((one, row) => [...one, row] as const))('on a %s service', (_, wrap, row) => {
  describe.each(Object.keys(LINES).filter(oneIn(4, 2 * row)))('%s', (name) => {
    test('comes to the same, whatever becomes of its requests', async () => {
      const { faults: none, ...undisturbed } = await runAmid(name, undefined, wrap)
      expect([undisturbed.code, none]).toEqual([0, 0])
      for (const [what, fault] of some(2, Object.entries(FAULTS))) {
        const { faults, ...outcome } = await runAmid(name, fault, wrap)
        expect({ what, ...outcome }).toEqual({ what, ...undisturbed })
        expect(faults).toBeGreaterThan(0)
      }
    })
  })
})

describe.each(some(1, Object.entries(SERVICES)))(
  'on a %s service that is down for longer than a run waits',
  (_, wrap) => {
    test.each([
      ['users create', ['--start', '3'], 'no. 3 of 4: ', 'stopped with 2 of 4 left; continue with --start 3'],
      ['assign add', [], 'no. 3 of 6: ', 'stopped with 4 of 6 left; run the same command again'],
      ['assign import', [], '4 assignments left', 'stopped with 4 assignments left; run the same command to continue'],
      ['apply', [], 'no. 3 of 12: ', 'stopped with 10 of 12 left; run the same command again'],
    ])('%s ends with 6, and the command that it names goes on', async (name, flags, first, told) => {
      const undisturbed = await runAmid(name, undefined, wrap)
      let [isDown, changes] = [false, 0]
      const cutOff = (target: string, method: string | undefined): boolean => {
        changes += isChange(target, method) ? 1 : 0
        isDown ||= changes > 2
        return isDown
      }
      let isBack = false
      const { importer, line, kpi } = await open(name, wrap, () => (isBack ? undefined : cut), cutOff)
      const stopped = await kpi(...line, '--deadline', '2m')
      expect(stopped.stderr).toContain('service not reachable, trying again in')
      expect(stopped).toMatchObject({ code: 6, stderr: expect.stringContaining(told) as unknown })
      expect(stopped.stderr).toContain(first)
      isBack = true
      expect((await kpi(...line, ...flags)).code).toBe(0)
      expect(await heldIn(importer)).toEqual(undisturbed.held)
    })

    test('ends with 5 where nothing was done', async () => {
      const { importer, line, kpi } = await open('kpis create', wrap, () => refuse(503), isChange)
      const { code, stderr } = await kpi(...line, '--deadline', '2m')
      expect([code, stderr]).toEqual([5, expect.not.stringContaining('not known')])
      expect(await importer.client.kpis.list()).toHaveLength(4)
    })
  },
)

test('somebody at a terminal is told of the trouble, and it passes', async () => {
  const faultOf = (number: number): Fault | undefined => (number % 4 === 0 ? undefined : refuse(503))
  const { importer, line, onTerminal } = await open('kpis create', undefined, faultOf, isChange)
  const { code, stderr } = await onTerminal(...line)
  expect([code, stderr]).toEqual([0, expect.stringContaining('service failing, trying again in 1 s')])
  expect(await importer.client.kpis.list()).toHaveLength(4 + NAMES.length)
})
