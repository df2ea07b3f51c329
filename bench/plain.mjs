// The least program that does what a line of `kpi` does with the same file or store: without checks, undo or a journal.
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Stores the rows of a file, in the order of their keys, in one transaction. */
const importRows = (database, path) => {
  database.exec('pragma synchronous = full; begin immediate')
  const last = database.prepare("select last from counters where account_id = 1 and name = 'entries'").get()?.['last']
  const insert = database.prepare(
    `insert into entries (account_id, item_id, kpi_id, entry_date, id, actual, created_at, updated_at)
     values (1, ?, ?, ?, ?, ?, 1700000000, 1700000000)`,
  )
  let id = Number(last)
  for (const line of readFileSync(path, 'utf8').split('\n').slice(1)) {
    const [user, kpi, date, actual] = line.split(',')
    if (date === undefined) continue
    insert.run(Number(user), Number(kpi), Date.parse(date) / 86_400_000, (id += 1), Math.round(Number(actual) * 10_000))
  }
  database.exec('commit')
}

/** Prints the entries between two days with their names, as CSV. */
const report = (database, from, to) => {
  const days = [from, to].map((day) => Date.parse(day) / 86_400_000)
  const rows = database
    .prepare(
      `select k.id, k.name, u.id as user, u.first_name, u.last_name, n.display_format, k.value_direction,
         date(e.entry_date * 86400, 'unixepoch') as day, e.actual / 10000.0 as actual, e.target / 10000.0 as target, e.notes
       from entries e
       join kpis k on k.account_id = e.account_id and k.id = e.kpi_id
       join units n on n.account_id = k.account_id and n.id = k.unit_id
       join users u on u.account_id = e.account_id and u.id = e.item_id
       where e.account_id = 1 and e.entry_date between ? and ?
         and e.item_id in (select id from users where account_id = 1) and e.kpi_id in (select id from kpis where account_id = 1)
       order by e.entry_date, k.sort_order, k.id, u.id`,
    )
    .all(...days)
  process.stdout.write(rows.map((row) => `${Object.values(row).join(',')}\n`).join(''))
}

const [what, store = '', first = '', second = ''] = process.argv.slice(2)
const database = new DatabaseSync(store)
if (what === 'import') importRows(database, first)
else report(database, first, second)
