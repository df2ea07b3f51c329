import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { kpi, node, run, sqlite, timesOf } from './command.ts'
import type { Figure } from './figure.ts'

const ROUNDS = 11

/** The same rows as the service reports them, as the shell would write them. */
const SHELL_REPORT = `
.mode csv
.headers on
select k.id as kpiId, k.name as kpiName, k.description as kpiDescription, u.id as itemId,
  u.first_name || ' ' || u.last_name as itemName, 'D' as periodId, 'Daily' as period, n.display_format as labelFormat,
  n.is_percentage as isPercentage, k.target_default is not null as hasTarget, k.value_direction as direction,
  'Up' as directionName, date(e.entry_date * 86400, 'unixepoch') as entryDate, e.actual / 10000.0 as actual,
  e.target / 10000.0 as target, e.notes as notes
from entries e
join kpis k on k.account_id = e.account_id and k.id = e.kpi_id
join units n on n.account_id = k.account_id and n.id = k.unit_id
join users u on u.account_id = e.account_id and u.id = e.item_id
where e.account_id = 1 and e.item_id in (select id from users where account_id = 1)
  and e.kpi_id in (select id from kpis where account_id = 1)
  and e.entry_date between julianday('2020-02-01') - 2440587.5 and julianday('2020-02-02') - 2440587.5
order by e.entry_date, k.sort_order, k.id, u.id;`

/** Adds nine copies of all entries to a store, each a year later than the one before. */
const NINE_COPIES = `
pragma journal_mode = off;
pragma synchronous = off;
with recursive copy (number) as (select 1 union all select number + 1 from copy where number < 9)
insert into entries (account_id, item_id, kpi_id, entry_date, id, actual, target, notes, created_at, updated_at, item_set)
select account_id, item_id, kpi_id, entry_date + number * 366, id + number * (select max(id) from entries),
  actual, target, notes, created_at, updated_at, item_set
from entries cross join copy order by account_id, item_id, kpi_id, entry_date + number * 366;
pragma journal_mode = wal;`

/** The same report out of ten times as many entries: it reads only its own days. */
const amongTenTimes = (dataDir: string): Figure => {
  const larger = `${dataDir}-ten-times`
  cpSync(dataDir, larger, { recursive: true })
  try {
    run(sqlite(join(larger, 'kpi.db'), NINE_COPIES))
    const days = ['report', '--from', '2020-02-01', '--to', '2020-02-02', '-o', 'csv']
    const [few, many] = [kpi('--data-dir', dataDir, ...days), kpi('--data-dir', larger, ...days)]
    if (run(few) !== run(many)) throw new Error('the report out of ten times as many entries differs')
    const times = timesOf({ few, many }, ROUNDS)
    return {
      what: 'the same out of 10,000,000, the whole process',
      measured: times.many,
      unit: 'ms',
      against: `out of 1,000,000 ${times.few.toFixed(0)} ms`,
      ratio: times.many / times.few,
      limit: 1.2,
    }
  } finally {
    rmSync(larger, { recursive: true, force: true })
  }
}

/** A report of 10,000 rows out of a million entries, against the shell's for the same rows. */
export const reporting = (dataDir: string): Figure[] => {
  const ours = kpi('--data-dir', dataDir, 'report', '--from', '2020-02-01', '--to', '2020-02-02', '-o', 'csv')
  const shell = sqlite(join(dataDir, 'kpi.db'), SHELL_REPORT)
  const rows = [run(ours), run(shell)].map((text) => text.trimEnd().split('\n').length - 1)
  if (rows[0] !== 10_000 || rows[1] !== 10_000) throw new Error(`10,000 rows expected, ${rows.join(' and ')} came`)
  const times = timesOf({ bare: node('-e', '0'), ours, shell }, ROUNDS)
  const beyond = times.ours - times.bare
  return [
    {
      what: 'report of 10,000 rows out of 1,000,000, beyond bare node',
      measured: beyond,
      unit: 'ms',
      against: `sqlite3 shell ${times.shell.toFixed(0)} ms`,
      ratio: beyond / times.shell,
      limit: 2,
    },
    amongTenTimes(dataDir),
  ]
}
