import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { embeddedTransport } from '../../src/cli/embedded.ts'
import { createClient } from '../../src/client/client.ts'
import { formatDay } from '../../src/domain/day.ts'
import { formatDecimal } from '../../src/domain/decimal.ts'
import { BATCH_LIMIT } from '../../src/domain/resources/entry.ts'
import { openStore } from '../../src/store/schema/open-store.ts'
import { ROOT } from '../support/documents.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { fillAccount, ID } from '../support/import.ts'
import { NOW } from '../support/io.ts'
import { COMPILE_CACHE } from '../support/process.ts'
import { IS_SOAK } from '../support/soak/tests.ts'

/** More than are sorted in memory. */
const ROWS = IS_SOAK ? 200_000 : 140_000
/** `npm run soak -- kills 210 7` kills a fifth of 210 times, at moments drawn from the seed 7. */
const { KILLS: all = '4', SEED = '20261121' } = process.env
const KILLS = Math.ceil(Number(all) / 5)

/** An entry as the file has it; ten-thousandths. */
type Row = { readonly user: number; readonly day: number; readonly actual: bigint }

/** All rows in the order of their keys: half of the days are Ann's, half are Bob's, all from 1900 on. */
const rows: readonly Row[] = Array.from({ length: ROWS }, (_, at) => ({
  user: at < ROWS / 2 ? ID.ann : ID.bob,
  day: (at % (ROWS / 2)) - 25_567,
  actual: BigInt(((at * 7919) % 1_000_003) - 500_000),
}))

/** Laid down in no order, so that the import has to sort them on the disk. */
const writeRows = (path: string): void => {
  const lines = rows.map((_, at) => {
    const { user, day, actual } = rows[(at * 7919) % ROWS] as Row
    return `${user},${ID.sales},${formatDay(day)},${formatDecimal(actual)}\n`
  })
  writeFileSync(path, `user,kpi,date,actual\n${lines.join('')}`)
}

const shown = ({ user, day, actual }: Row): string => `${user} ${day} ${actual}`

/** Numbers from 0 to 1 that are the same in each run of the test (mulberry32). */
const createRandom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Ended = { readonly code: number | null; readonly summary: unknown; readonly writes: number }

/**
 * Imports the file as a process of its own, which is killed once it has written to its data directory so many times; it
 * has no chance to see that coming. Answers how often it wrote, and the exit code, which is null where it was killed.
 */
const importRows = async (folder: Folder, name: string, killAt = Infinity): Promise<Ended> => {
  const env = { ...COMPILE_CACHE, HOME: folder.path, TMPDIR: folder.in('temporary'), KPI_DATA_DIR: folder.in(name) }
  const args = [join(ROOT, 'bin', 'kpi.js'), 'entries', 'import', 'rows.csv', '-o', 'json']
  let writes = 0
  const watcher = watch(folder.in(name), () => {
    writes += 1
    if (writes >= killAt) child.kill('SIGKILL')
  })
  const child = spawn(process.execPath, args, { cwd: folder.path, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [code, stdout] = await Promise.all([ended, text(child.stdout)])
  watcher.close()
  return { code, summary: stdout === '' ? undefined : JSON.parse(stdout), writes }
}
/** What a data directory holds after its process was killed; looked at in a copy, so that the next run meets it as it is. */
const entriesIn = async (folder: Folder, name: string): Promise<string[]> => {
  rmSync(folder.in('copy'), { recursive: true, force: true })
  cpSync(folder.in(name), folder.in('copy'), { recursive: true })
  const path = folder.in('copy/kpi.db')
  await (await openStore(path)).close()
  const database = new DatabaseSync(path)
  expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(database.prepare('pragma foreign_key_check').all()).toEqual([])
  const entries = database
    .prepare('select item_id as user, entry_date as day, actual from entries order by item_id, kpi_id, entry_date')
    .all() as Row[]
  database.close()
  return entries.map(shown)
}

/** The first place where two lists differ, so that a failure shows one entry, not all of them. */
const differenceOf = (entries: readonly string[], expected: readonly string[]): unknown => {
  const at = expected.findIndex((one, place) => one !== entries[place])
  return at >= 0 || entries.length > expected.length ? { at, is: entries[at], should: expected[at] } : undefined
}

/** The file, and an account that takes it, in a folder of their own. */
const prepare = async (): Promise<Folder> => {
  const folder = temporaryFolder()
  mkdirSync(folder.in('temporary'))
  writeRows(folder.in('rows.csv'))
  const client = createClient(await embeddedTransport(folder.in('account'), () => NOW))
  await fillAccount(client)
  await client.close()
  return folder
}

test(
  'an import that is killed at any moment leaves whole batches, and the same command completes it',
  async () => {
    using folder = await prepare()
    const startAgain = (): void => {
      for (const name of ['data', '.local']) rmSync(folder.in(name), { recursive: true, force: true })
      cpSync(folder.in('account'), folder.in('data'), { recursive: true })
    }
    startAgain()
    const whole = await importRows(folder, 'data')
    expect(whole).toMatchObject({ code: 0, summary: { created: ROWS } })

    startAgain()
    const random = createRandom(Number(SEED))
    const expected = rows.map(shown)
    let stored = 0
    for (let kills = 0; kills < KILLS;) {
      // Each run goes on where the one before was killed, after at most one part of the whole, of as many parts as there are kills.
      const { code } = await importRows(folder, 'data', 1 + random() * (whole.writes / KILLS))
      const entries = await entriesIn(folder, 'data')
      expect(entries.length % BATCH_LIMIT).toBe(0)
      expect(entries.length).toBeGreaterThanOrEqual(stored)
      expect(differenceOf(entries, expected.slice(0, entries.length))).toBeUndefined()
      if (code === null) kills += 1
      // Where it was done before its moment came, there is nothing more to kill.
      else startAgain()
      stored = code === null ? entries.length : 0
    }

    const { code, summary } = await importRows(folder, 'data')
    expect({ code, summary }).toMatchObject({
      code: 0,
      summary: { read: ROWS, updated: 0, sent: 0, rejected: 0, left: 0 },
    })
    // Of the whole run; what was stored at the moment of a kill and not written down is found to be there.
    const { created, unchanged } = summary as Readonly<Record<'created' | 'unchanged', number>>
    expect(created + unchanged).toBe(ROWS)
    expect(differenceOf(await entriesIn(folder, 'data'), expected)).toBeUndefined()
    expect(await importRows(folder, 'data')).toMatchObject({
      code: 0,
      summary: { unchanged: ROWS, created: 0, updated: 0 },
    })
    expect(differenceOf(await entriesIn(folder, 'data'), expected)).toBeUndefined()
  },
  300_000 + KILLS * 20_000,
)
