import { expect, test } from 'vitest'
import { DATES, type FaultyShop, openFaultyShop, salesOf } from '../support/faulty/shop.ts'
import { temporaryFolder } from '../support/folder.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'

type Machine = ReturnType<FaultyShop['createMachine']>
type Row = {
  readonly receipt: string
  readonly new_entries: number | null
  readonly left_entries: number | null
  readonly undo_begun_at: string | null
}

const IMPORT = ['entries', 'import', 'data.csv', '-o', 'json']
const NEW_DAYS = ['2026-04-01', '2026-04-02', '2026-04-03', '2026-04-04']
const ALL_SEVEN = salesOf(Object.fromEntries(NEW_DAYS.map((date) => [date, 7])))
const [FIRST_DAY = ''] = NEW_DAYS
/** A value that the service refuses for a reason of its own. */
const REFUSED = 1313

const endOf = async (run: ReturnType<Machine>): Promise<Ran> => {
  const ended = await run
  if (ended.code === undefined) throw new Error('it was killed')
  return ended
}

const listed = async (machine: Machine): Promise<readonly Row[]> =>
  jsonOf(await endOf(machine(['entries', 'undo', '-o', 'json']))) as Row[]

/** Takes back the latest import of a machine. */
const undoLatest = async (machine: Machine): Promise<Ran> => {
  const [latest] = await listed(machine)
  return endOf(machine(['entries', 'undo', latest?.receipt ?? '', '--yes']))
}

/** Runs a command again and again, killed a request later each time, until something is so. */
const killUntil = async (machine: Machine, args: readonly string[], isSo: () => Promise<boolean> | boolean) => {
  for (let atRequest = 1; atRequest < 40; atRequest += 1) {
    await machine(args, { how: 'kill', atRequest, isAfter: true })
    if (await isSo()) return
  }
  throw new Error('it never was so')
}

test.each(['ours', 'foreign', 'foreign, refusals that name nobody', 'foreign, no batches (404)'])(
  'an entry that a service refused is none of the import, whoever stores it then: %s',
  async (kind) => {
    using folder = temporaryFolder()
    const { createMachine, actuals } = openFaultyShop(kind, folder)
    const first = createMachine(salesOf({ [FIRST_DAY]: REFUSED, '2026-04-02': 5 }))
    expect(await first(IMPORT)).toMatchObject({ code: 3 })
    expect(await listed(first)).toMatchObject([{ new_entries: 1 }])
    await createMachine(salesOf({ [FIRST_DAY]: 8 }))(IMPORT)
    expect(await undoLatest(first)).toMatchObject({ code: 0, stderr: 'removed 1 entry\n' })
    expect(actuals()).toMatchObject({ [FIRST_DAY]: 8 })
  },
)

test('an import of single entries that was killed takes back none that it had not come to', async () => {
  using folder = temporaryFolder()
  const { createMachine, service, clock, actuals } = openFaultyShop('foreign, no batches (404)', folder)
  const days = Object.fromEntries(
    Array.from({ length: 28 }, (_, at) => [`2026-05-${String(at + 1).padStart(2, '0')}`, 7]),
  )
  const first = createMachine(salesOf(days))
  await killUntil(first, IMPORT, () => service.entries().length >= 6)
  await clock.run(() => clock.sleep(60_000))
  const stored = service.entries().length
  await createMachine(salesOf(days))(IMPORT)
  await undoLatest(first)
  // Only what was on its way when it was killed may be taken for its own.
  expect(Object.keys(actuals()).length).toBeGreaterThan(3 + 28 - stored - 8)
})

test('an entry that another machine stored long after an import was killed is left alone', async () => {
  using folder = temporaryFolder()
  const { createMachine, clock, actuals } = openFaultyShop('ours', folder)
  const first = createMachine(ALL_SEVEN)
  for (let atRequest = 1; (await listed(first)).length === 0; atRequest += 1)
    await first(IMPORT, { how: 'kill', atRequest, isAfter: false })
  await clock.run(() => clock.sleep(3_600_000))
  await createMachine(ALL_SEVEN)(IMPORT)
  expect(await undoLatest(first)).toMatchObject({
    code: 3,
    stderr: 'nothing was changed; 4 left alone\n',
    stdout: expect.stringContaining('was stored anew since') as unknown,
  })
  expect(Object.keys(actuals())).toHaveLength(7)
})

test('an import that goes on puts back what another machine has stored meanwhile', async () => {
  using folder = temporaryFolder()
  const { createMachine, fail, actuals } = openFaultyShop('ours', folder)
  const first = createMachine(ALL_SEVEN)
  fail([
    { what: 'lost', isDone: false, how: 'status 503' },
    { what: 'unauthorized', isForEver: false },
  ])
  expect(await first(IMPORT)).toMatchObject({ code: 4 })
  await createMachine(salesOf({ [FIRST_DAY]: 8 }))(IMPORT)
  expect(await first(IMPORT)).toMatchObject({ code: 0 })
  expect(actuals()).toMatchObject({ [FIRST_DAY]: 7 })
  await undoLatest(first)
  expect(actuals()).toEqual({ ...Object.fromEntries(DATES.map((date, day) => [date, day + 1])), [FIRST_DAY]: 8 })
})

test('an undo that was killed is listed as begun, with what is left and how it goes on', async () => {
  using folder = temporaryFolder()
  const { createMachine, service } = openFaultyShop('ours', folder)
  const machine = createMachine(ALL_SEVEN)
  await machine(IMPORT)
  const [latest] = await listed(machine)
  await killUntil(machine, ['entries', 'undo', latest?.receipt ?? '', '--yes'], () => service.entries().length <= 5)
  const ended = await machine(['entries', 'undo', '-o', 'json'])
  expect(ended).toMatchObject({
    stderr: `an undo of the import of data.csv has not come to its end: 3 entries left; unless it still runs, continue it: kpi entries undo ${latest?.receipt}\n`,
  })
  expect(await listed(machine)).toMatchObject([{ left_entries: 3, undo_begun_at: expect.any(String) as unknown }])
  expect(await undoLatest(machine)).toMatchObject({ code: 0 })
  expect(await listed(machine)).toMatchObject([{ left_entries: null, undo_begun_at: null }])
})

test('what is stored is read again after a refusal that may be temporary, so that an import can be taken back', async () => {
  using folder = temporaryFolder()
  const { createMachine, fail } = openFaultyShop('ours', folder)
  const machine = createMachine(ALL_SEVEN)
  const reads = (await createMachine(salesOf({ '2026-06-01': 1 }))(IMPORT)).code
  expect(reads).toBe(0)
  fail([undefined, undefined, undefined, { what: 'put off', retryAfter: 'soon' }], 'all')
  await machine(IMPORT)
  expect(await listed(machine)).toMatchObject([{ new_entries: 4 }])
})

test('a dry run of an undo says how long it will take, as the undo does', async () => {
  using folder = temporaryFolder()
  const { createMachine } = openFaultyShop('ours', folder)
  const days = Array.from({ length: 28 }, (_, at) => `2026-05-${String(at + 1).padStart(2, '0')}`)
  const machine = createMachine(salesOf(Object.fromEntries(days.map((day) => [day, 7]))))
  await machine(IMPORT)
  const [latest] = await listed(machine)
  const { stderr } = await endOf(machine(['entries', 'undo', latest?.receipt ?? '', '--dry-run', '--summary-only']))
  expect(stderr).toContain('would remove 28 entries, which takes 28 requests')
})

test('an import that adds to a third-party service is not begun again after its undo was killed', async () => {
  using folder = temporaryFolder()
  const { createMachine, service, actuals } = openFaultyShop('foreign', folder)
  const before = actuals()
  const machine = createMachine(ALL_SEVEN)
  const adding = [...IMPORT, '--on-conflict', 'add']
  await machine(adding)
  const [{ receipt } = { receipt: '' }] = await listed(machine)
  const undo = ['entries', 'undo', receipt, '--yes']
  await killUntil(machine, undo, () => service.entries().length <= 5)
  const told = expect.stringContaining(`take back the rest (kpi entries undo ${receipt})`) as unknown
  expect(await machine(adding)).toMatchObject({ code: 1, stderr: told })
  expect(await machine(undo)).toMatchObject({ code: 0 })
  expect(actuals()).toEqual(before)
  expect(await machine(adding)).toMatchObject({ code: 0 })
  expect(actuals()).toMatchObject(Object.fromEntries(NEW_DAYS.map((date) => [date, 7])))
})
