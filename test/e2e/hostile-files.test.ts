import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { HOSTILE_FILES } from '../support/hostile/files.ts'
import type { HostileFile } from '../support/hostile/hostile-file.ts'
import { putHostile, runHostile } from '../support/hostile/run-hostile.ts'
import { some } from '../support/soak/tests.ts'

/** The exit codes of the table; a process that was killed has none. */
const CODES = [0, 1, 2, 3, 6, 130, 'SIGINT']
const MOST_MEMORY = 600 * 1024 ** 2
const MOST_TEMPORARY = 1024 ** 3
/** Other tests run beside this one, so that only the time of the processor is held to. */
const BUSY_MS = 15_000
const BUSY_AFTER_MS = 2500
/** Sets how long the texts below take on the machine by which the times above were set. */
const TEXTS_MS = 45

/** Reads texts as imports do, and returns how long that took the processor. */
const timeTexts = (): number => {
  const began = process.cpuUsage()
  let found = 0
  for (let at = 0; at < 300_000; at += 1)
    if (/^\p{L}\d{1,6}$/u.test(`N${at}`.normalize('NFC').toLowerCase())) found += 1
  const { user, system } = process.cpuUsage(began)
  return found > 0 ? (user + system) / 1000 : NaN
}

/** Returns how many times slower this machine is now than the one by which the times above were set; at least 1. */
const slowness = (): number => {
  timeTexts()
  return Math.max(1, timeTexts() / TEXTS_MS)
}
const KILL_MS = 50_000

/** The worst of each kind: what once held the process for minutes, or filled the memory or the disk. The suite draws some. */
const WORST = [
  'text: 5 MB of quotes',
  'text: 16,384 columns',
  'text: 100,000 columns',
  'text: 16,384 dates in different forms',
  'text: a line of 15 MB in a table',
  'workbook: a number format of 600 KB of quotes',
  'workbook: 20,000,000 styles',
  'workbook: 60,000 sheets and relations',
  'workbook: 16,384 merged cells of a header row',
  'workbook: one cell at XFD1048576',
  'spreadsheet: 50,000 sheets',
  'document: 60,000 objects of one name',
  'text: names of 500,000 marks of two kinds',
  'text: a name of 1,040,000 ligatures, to be created',
  'document: lists 2,400,000 deep that end',
  'document: a long number before lists 4,900,000 deep',
  'database: a row of sixty texts of 16 MB',
  'archive: 3.9 GB of zeros in a gzip in a gzip',
  'plan: 900,000 aliases',
  'plan: 5,000,000 brackets',
  'job: 200,000 patterns',
  'job: a pattern of 30 wildcards',
  'job: 100000 parts of --ignore-rows',
  'job: 85000 parts of --map-kpi',
  'job: 100000 parts of --columns',
]

const named = (name: string): HostileFile => {
  const found = HOSTILE_FILES.find((one) => one.name === name)
  if (!found) throw new Error(`there is no hostile file ${name}`)
  return found
}

test('hostile files are of sixty kinds and more, each at most 5 MB', () => {
  expect(HOSTILE_FILES.length).toBeGreaterThan(60)
  expect(new Set(HOSTILE_FILES.map(({ name }) => name)).size).toBe(HOSTILE_FILES.length)
})

describe.runIf(process.platform === 'linux')('a hostile file ends by itself, in bounded memory:', () => {
  test.each(some(6, WORST))('%s', async (name) => {
    using home = temporaryFolder()
    expect(putHostile(home, named(name))).toBeLessThanOrEqual(5_000_000)
    const taken = await runHostile(home, named(name), { killAfter: KILL_MS })
    expect(CODES).toContain(taken.code)
    expect(taken.busy).toBeLessThan(BUSY_MS * slowness())
    expect(taken.longestTurn).toBeLessThan(BUSY_AFTER_MS)
    expect(taken.memory).toBeLessThan(MOST_MEMORY)
    expect(taken.temporary).toBeLessThan(MOST_TEMPORARY)
  })
})

describe.runIf(process.platform === 'linux')('what takes long hears signals and timers to its end:', () => {
  const LONG = [
    'rows: 100,000 unknown users beside 5,000',
    'rows: 150,000 unknown numbers beside 5,000 users of numbered names',
    'assignments: 170,000 unknown users beside 5,000',
  ]
  /** Not in the suite, as they take longest. */
  const LONGEST = ['rows: 150 rows of 16,000 rejects', 'rows: 1,200,000 rejects and a pair that is there twice']
  test.each([...some(1, LONG), ...some(0, LONGEST)])('%s', async (name) => {
    using home = temporaryFolder()
    expect(putHostile(home, named(name))).toBeLessThanOrEqual(5_000_000)
    const taken = await runHostile(home, named(name), { killAfter: KILL_MS })
    expect(CODES).toContain(taken.code)
    expect(taken.longestTurn).toBeLessThan(BUSY_AFTER_MS)
    expect(taken.memory).toBeLessThan(MOST_MEMORY)
    expect(taken.temporary).toBeLessThan(MOST_TEMPORARY)
  })
})

describe.runIf(process.platform === 'linux')('what takes long ends when it is told to:', () => {
  const LONG = [
    'workbook: 16,000,000 shared strings of a letter',
    'workbook: 1,048,575 rows of data',
    'archive: 200,000 empty frames of zstd',
    'plan: 100,000 KPIs, as JSON',
    'document: 1,600,000 objects without a field',
  ]
  test.each(some(1, LONG))('%s', async (name) => {
    using home = temporaryFolder()
    putHostile(home, named(name))
    const interrupted = await runHostile(home, named(name), { interruptAfter: 1500, killAfter: KILL_MS })
    expect(CODES).toContain(interrupted.code)
    expect(interrupted.busySince).toBeLessThan(BUSY_AFTER_MS)
    const late = await runHostile(home, named(name), { deadline: 2, killAfter: KILL_MS })
    expect(late.code).toBe(6)
    expect(late.busy).toBeLessThan(2000 + BUSY_AFTER_MS)
  })
})
