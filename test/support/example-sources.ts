import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { Folder } from './folder.ts'
import { rowsOf, xlsxOf } from './workbook.ts'

/** Files of each kind of definitions that can be imported. */
const DEFINITIONS = {
  users: 'First name,Last name,E-mail\nCy,Ng,cy@example.com\n',
  kpis: 'Name,Unit,Target\nCalls,Number,20\n',
  categories: 'Name\nOffice\n',
  units: 'Name,Format\nHours,#.00 h\n',
  groups: 'Group\nCountry\n',
  'group-items': 'Item\nEast\n',
  'breakdown-items': 'Item\nEast\n',
}

/** Writes the workbook, the JSON, the database and the file of new things that the examples of an import speak of. */
export const writeExampleSources = (folder: Folder): void => {
  writeFileSync(
    folder.in('sales.csv'),
    'user,kpi,date,actual\nann@example.com,Sales,2026-01-01,5\nann@example.com,Sales,2026-01-02,7\n',
  )
  for (const [name, text] of Object.entries(DEFINITIONS)) writeFileSync(folder.in(`${name}.csv`), text)
  const sheet = rowsOf([
    ['user', 'kpi', 'date', 'actual'],
    [2, 1, '2026-01-01', 5],
  ])
  writeFileSync(folder.in('report.xlsx'), xlsxOf({ sheets: { Sales: sheet } }))
  const items = [{ user: 2, kpi: 1, date: '2026-01-01', total: 5 }]
  writeFileSync(folder.in('orders.json'), JSON.stringify({ data: { items } }))
  using database = new DatabaseSync(folder.in('shop.sqlite'))
  database.exec("create table counts (day text, visits integer); insert into counts values ('2026-01-01', 5)")
}
