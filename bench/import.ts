import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { kpi, median, peakMemoryOf, run, sqlite, timeOf } from './command.ts'
import { type Order, writeRows } from './data.ts'
import type { Figure } from './figure.ts'
import { serve } from './serving.ts'

const ROWS = 1_000_000
const ROUNDS = 3
/** A machine that is shared is slower for seconds at a time: the best of so many rounds is what it can do. */
const COMPARED = 7
const MEMORY_LIMIT_MB = 250
/** So many rows a second are demanded over HTTP. */
const HTTP_RATE = 150_000

/** A fresh copy of the account, and its database. */
const freshCopy = (folder: string, dataDir: string): { dataDir: string; database: string } => {
  const copy = join(folder, 'copy')
  rmSync(copy, { recursive: true, force: true })
  cpSync(dataDir, copy, { recursive: true })
  return { dataDir: copy, database: join(copy, 'kpi.db') }
}

/** The shell's way: the file into a staging table, then one sorted upsert into the table of the service, keys and all. */
const shellImport = (file: string): string => `
pragma synchronous = full;
pragma foreign_keys = on;
create temp table staging (user text, kpi text, date text, actual text);
.import --csv --skip 1 ${file} staging
insert into entries (account_id, item_id, kpi_id, entry_date, id, actual, created_at, updated_at)
  select 1, cast(user as integer), cast(kpi as integer), cast(julianday(date) - 2440587.5 as integer),
    (select last from counters where account_id = 1 and name = 'entries') + rowid,
    cast(round(actual * 10000) as integer), 1700000000, 1700000000
  from staging where true order by 2, 3, 4
  on conflict (account_id, item_id, kpi_id, entry_date)
    do update set actual = excluded.actual, updated_at = excluded.updated_at;`

const importWith = (dataDir: string, file: string): ReturnType<typeof kpi> =>
  kpi('--data-dir', dataDir, 'entries', 'import', file, '--quiet', '-o', 'json')

const compare = (folder: string, account: string, file: string): { ours: number; shell: number } => {
  const ours: number[] = []
  const shell: number[] = []
  for (let round = 0; round < COMPARED; round += 1) {
    ours.push(timeOf(importWith(freshCopy(folder, account).dataDir, file)))
    shell.push(timeOf(sqlite(freshCopy(folder, account).database, shellImport(file))))
  }
  return { ours: Math.min(...ours) / 1000, shell: Math.min(...shell) / 1000 }
}

/** How many times what the shell needs a file may take, by the order of its rows. */
const LIMITS = [
  ['key', 1.5],
  ['shuffled', 1.5],
] satisfies [Order, number][]
const WORDS: Readonly<Record<Order, string>> = {
  key: 'in the order of their keys',
  day: 'day by day',
  shuffled: 'in no order',
}

/** A million rows into the embedded service, against what the sqlite3 shell needs for the same table. */
export const importing = async (folder: string, account: string): Promise<Figure[]> => {
  const figures: Figure[] = []
  for (const [order, limit] of LIMITS) {
    const file = await writeRows(folder, ROWS, order)
    const { ours, shell } = compare(folder, account, file)
    figures.push({
      what: `import of ${ROWS} rows ${WORDS[order]}`,
      measured: ours,
      unit: 's',
      against: `sqlite3 shell ${shell.toFixed(2)} s`,
      ratio: ours / shell,
      limit,
    })
  }
  return [...figures, ...(await memory(folder, account)), ...(await importingOverHttp(folder, account))]
}

/** The same file from one process through HTTP to another on the same machine. */
const importingOverHttp = async (folder: string, account: string): Promise<Figure[]> => {
  const file = await writeRows(folder, ROWS, 'key')
  const rates: number[] = []
  for (let round = 0; round < COMPARED; round += 1) {
    const { dataDir } = freshCopy(folder, account)
    const server = await serve({ flags: ['--data-dir', dataDir], account: 'default' })
    const seconds = timeOf(kpi('entries', 'import', file, '--quiet', '-o', 'json'), server.env) / 1000
    server.stop()
    rates.push(ROWS / seconds)
  }
  const rate = Math.max(...rates)
  return [
    {
      what: `import of ${ROWS} rows over HTTP`,
      measured: rate,
      unit: '/s',
      against: `${HTTP_RATE} /s`,
      ratio: HTTP_RATE / rate,
      limit: 1,
    },
  ]
}

const memory = async (folder: string, account: string): Promise<Figure[]> => {
  const peakAt = async (rows: number): Promise<number> => {
    const file = await writeRows(folder, rows, 'day')
    const peak = (): number => peakMemoryOf(importWith(freshCopy(folder, account).dataDir, file), folder)
    return median(Array.from({ length: ROUNDS }, peak))
  }
  const [once, fourfold] = [await peakAt(ROWS), await peakAt(ROWS * 4)]
  return [
    {
      what: `peak memory at ${ROWS} rows`,
      measured: once,
      unit: 'MB',
      against: `${MEMORY_LIMIT_MB} MB`,
      ratio: once / MEMORY_LIMIT_MB,
      limit: 1,
    },
    {
      what: `peak memory at ${ROWS * 4} rows`,
      measured: fourfold,
      unit: 'MB',
      against: `at ${ROWS} rows ${once.toFixed(0)} MB`,
      ratio: fourfold / once,
      limit: 1.1,
    },
  ]
}

/** An account with a million entries, for what reads them. */
export const loadedAccount = async (folder: string, account: string): Promise<string> => {
  const { dataDir } = freshCopy(folder, account)
  run(importWith(dataDir, await writeRows(folder, ROWS, 'key')))
  return dataDir
}
