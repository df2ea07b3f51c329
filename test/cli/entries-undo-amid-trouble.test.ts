import { expect, test } from 'vitest'
import { DATES, openFaultyShop, salesOf } from '../support/faulty/shop.ts'
import type { Loss, Trouble } from '../support/faulty/trouble.ts'
import { temporaryFolder } from '../support/folder.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'

type Amid = {
  /** What becomes of the writes of the undo, one after another. */
  readonly troubles?: readonly (Trouble | undefined)[]
  /** How many of the days are imported. */
  readonly count?: number
  /** Stops the undo once it has made so many requests. */
  readonly stopAt?: number
}

/** Imports other values into a service of a kind, and takes them back; returns what came of it, and how often it wrote. */
const undoAmid = async (kindName: string, { troubles = [], count = DATES.length, stopAt }: Amid) => {
  using folder = temporaryFolder()
  const { service, fail, createMachine, actuals } = openFaultyShop(kindName, folder)
  const run = createMachine(salesOf(Object.fromEntries(DATES.slice(0, count).map((date) => [date, 9]))))
  const kpi = async (args: readonly string[], atRequest?: number): Promise<Ran> => {
    const ended = await run(args, atRequest === undefined ? undefined : { how: 'stop', atRequest, isAfter: true })
    if (ended.code === undefined) throw new Error('nobody killed it')
    return ended
  }
  const { receipt } = jsonOf(await kpi(['entries', 'import', 'data.csv', '-o', 'json'])) as { receipt: string }
  fail(troubles)
  const before = service.written.length
  const { code, stdout, stderr } = await kpi(['entries', 'undo', receipt, '--yes'], stopAt)
  const [listed] = jsonOf(await kpi(['entries', 'undo', '-o', 'json'])) as { left_entries: number | null }[]
  const writes = service.written.length - before
  return { code, stdout, stderr, actuals: Object.values(actuals()), writes, left: listed?.left_entries }
}

const lost = (how: Loss, isDone: boolean): Trouble => ({ what: 'lost', how, isDone })

test.each(['an object with 200', 'a list with 200'] as const)(
  'a change that a third-party service answers with %s is put back, and repeated only where it was not done',
  async (how) => {
    expect(await undoAmid('foreign', { troubles: [lost(how, false), undefined, lost(how, true)] })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'put back 3 entries\n',
      actuals: [1, 2, 3],
      writes: 3,
      left: null,
    })
  },
)

test('a change that a third-party service never makes is left alone, and the others are put back', async () => {
  const never = lost('an object with 200', false)
  expect(await undoAmid('foreign', { troubles: [never, undefined, undefined, never, never, never] })).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/leave .*2026-03-01 .*the service answered something else than what was/) as unknown,
    stderr: '2 of 3 entries are taken back\nput back 2 entries; 1 left alone\n',
    actuals: [9, 2, 3],
  })
})

test('what is put back before a third-party service is gone is counted, and the list says what is left', async () => {
  const { code, stderr, actuals, left } = await undoAmid('foreign', {
    troubles: [undefined, { what: 'down', forMs: 3_600_000 }],
  })
  expect([code, actuals, left]).toEqual([6, [1, 9, 9], 2])
  expect(stderr).toContain('put back 1 entry; 2 entries left; run the same command to continue')
})

test.each([
  ['plans', 2, 6, 'nothing was changed; run the same command again', [9, 9, 9], null],
  [
    'looks at what it changes',
    5,
    6,
    'nothing was changed; 3 entries left; run the same command to continue',
    [9, 9, 9],
    null,
  ],
  ['puts back the last of it', 6, 0, 'put back 3 entries\n', [1, 2, 3], null],
])('an undo that is stopped while it %s says what is done', async (_, stopAt, exit, words, held, open) => {
  const { code, stderr, actuals, left } = await undoAmid('ours', { stopAt })
  expect([code, actuals, left]).toEqual([exit, held, open])
  expect(stderr).toContain(words)
})

test.each([
  ['a list with 200', 3],
  ['an object with 200', 3],
  ['an object with 200', 1],
] as const)('what a proxy answers with %s is sent again until it is stored, of %i entries', async (how, count) => {
  expect(await undoAmid('ours', { troubles: [lost(how, false)], count })).toMatchObject({
    code: 0,
    stderr: count === 1 ? 'put back 1 entry\n' : 'put back 3 entries\n',
    actuals: [1, 2, 3],
  })
})

test('an undo whose credentials are refused on its way says what is done and what is left', async () => {
  const { code, stderr, left } = await undoAmid('foreign', {
    troubles: [undefined, { what: 'unauthorized', isForEver: false }],
  })
  expect([code, left]).toEqual([4, 2])
  expect(stderr).toContain('put back 1 entry; 2 entries left; run the same command to continue')
})

test('an undo of an import from which the service hid what is stored ends with 0 only where nothing is left', async () => {
  const putOff = { what: 'put off', retryAfter: '' } as const
  const line = ['entries', 'import', 'data.csv', '-o', 'json']
  const ends: (readonly [code: number | undefined, isEmpty: boolean, isTold: boolean])[] = []
  for (const killAt of [5, 6, 7]) {
    for (let hidden = 3; hidden <= 7; hidden += 1) {
      using folder = temporaryFolder()
      const { fail, createMachine, actuals } = openFaultyShop('foreign, newer', folder, [])
      const run = createMachine(salesOf(Object.fromEntries(DATES.map((date) => [date, 9]))))
      await run(line, { how: 'kill', atRequest: killAt, isAfter: true })
      fail([...Array.from({ length: hidden }, () => undefined), putOff], 'all')
      await run(line)
      fail([])
      const listed = jsonOf((await run(['entries', 'undo', '-o', 'json'])) as Ran) as { receipt: string }[]
      const [{ receipt } = { receipt: '' }] = listed
      const undone = await run(['entries', 'undo', receipt, '--yes'])
      const told = undone.code === undefined ? '' : undone.stderr
      ends.push([undone.code, Object.keys(actuals()).length === 0, told.includes(' may not be in receipt ')])
    }
  }
  expect(ends.filter(([code, isEmpty]) => code === 0 && !isEmpty)).toEqual([])
  expect(ends.filter(([code, isEmpty]) => code === 3 && !isEmpty)).not.toEqual([])
  expect(ends.filter(([code, , isTold]) => (code === 3) !== isTold)).toEqual([])
})
