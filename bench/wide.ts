import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, kpi, peakMemoryOf, sqlite, timeOf } from './command.ts'
import type { Figure } from './figure.ts'

const ITEMS = 3340
const DAYS = 335
/** A machine that is shared is slower for seconds at a time: the best of so many rounds is what it can do. */
const ROUNDS = 5
const TIMES_LIMIT = 2.5
const MEMORY_LIMIT_MB = 250
const MS_A_DAY = 86_400_000

const days = Array.from({ length: DAYS }, (_, at) =>
  new Date(Date.UTC(2020, 0, 22) + at * MS_A_DAY).toISOString().slice(0, 10),
)

/** Writes a file with a row for each item and a column for each day; its numbers grow as counts do. */
const writeWide = (folder: string): string => {
  const rows = Array.from({ length: ITEMS }, (_, item) => {
    const cells = days.map((_, at) => (at + 1) * ((item % 59) + 1))
    return `County ${String(item).padStart(4, '0')},Cases,${cells.join(',')}`
  })
  const path = join(folder, 'wide.csv')
  writeFileSync(path, `County,Indicator,${days.join(',')}\n${rows.join('\n')}\n`)
  return path
}

/** The shell's way: the file into a table as it is, a column melted after the other, then all rows in order. */
const shellMelt = (file: string): string => `
pragma journal_mode = wal;
pragma synchronous = full;
.import --csv ${file} wide
create table entries (owner integer, kpi integer, day integer, actual integer, primary key (owner, kpi, day)) without rowid;
create table items (id integer primary key, name text unique);
begin;
insert into items (name) select County from wide;
create temp table melted (owner integer, kpi integer, day integer, actual integer);
${days.map((day) => `insert into melted select id, 1, unixepoch('${day}') / 86400, cast("${day}" as real) * 10000 from wide join items on name = County;`).join('\n')}
insert into entries select * from melted order by 1, 2, 3;
commit;`

/** A million values, a column for each day, into a new account with all that is missing, against the sqlite3 shell. */
export const importingWide = (folder: string): Figure[] => {
  const [file, home] = [writeWide(folder), join(folder, 'wide')]
  const afresh = <T>(work: () => T): T => {
    rmSync(home, { recursive: true, force: true })
    mkdirSync(home)
    return work()
  }
  const ours = (): Command =>
    kpi('--data-dir', join(home, 'data'), 'entries', 'import', file, '--create-missing', '--quiet', '-o', 'json')
  const best = (command: () => Command): number =>
    Math.min(...Array.from({ length: ROUNDS }, () => afresh(() => timeOf(command())))) / 1000
  const [seconds, shell] = [best(ours), best(() => sqlite(join(home, 'melted.db'), shellMelt(file)))]
  const peak = afresh(() => peakMemoryOf(ours(), folder))
  const what = `import of ${ITEMS * DAYS} values in a column for each day`
  return [
    {
      what,
      measured: seconds,
      unit: 's',
      against: `sqlite3 shell ${shell.toFixed(2)} s`,
      ratio: seconds / shell,
      limit: TIMES_LIMIT,
    },
    {
      what: `peak memory of the ${what}`,
      measured: peak,
      unit: 'MB',
      against: `${MEMORY_LIMIT_MB} MB`,
      ratio: peak / MEMORY_LIMIT_MB,
      limit: 1,
    },
  ]
}
