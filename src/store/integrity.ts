import { accountNames, type StoreFault, storeTables } from './check.ts'
import type { Reader } from './db.ts'
import { idOf, RESTORE } from './invariants.ts'

/** So much damage is told; where there is more, it is of the same origin. */
const MOST_TOLD = 100

/** What SQLite finds damaged in its file, indexes included. */
export const damageOf = async (tx: Reader): Promise<StoreFault[]> => {
  const rows = await tx.all(`pragma integrity_check(${MOST_TOLD})`)
  const found = rows.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok')
  return found.map((text) => ({ table: '', account: '', id: '', fault: text.replaceAll('\n', ' '), remedy: RESTORE }))
}

type Key = { readonly table: string; readonly parent: string; readonly columns: readonly (readonly [string, string])[] }

/** The foreign keys that some row breaks. SQLite finds them by the definition of its tables. */
const brokenKeys = async (tx: Reader): Promise<Key[]> => {
  const broken = await tx.all('select distinct "table", parent, fkid from pragma_foreign_key_check')
  const keys: Key[] = []
  for (const { table, parent, fkid } of broken) {
    const sql = 'select "from", "to" from pragma_foreign_key_list(?) where id = ? order by seq'
    const columns = await tx.all(sql, [String(table), Number(fkid)])
    keys.push({
      table: String(table),
      parent: String(parent),
      columns: columns.map(({ from, to }) => [String(from), String(to)]),
    })
  }
  return keys
}

/** Calls `visit` for every row that names another one, of the same account, that is not there. */
export const eachStray = async (tx: Reader, visit: (fault: StoreFault) => void): Promise<void> => {
  const nameOf = await accountNames(tx)
  const tables = await storeTables()
  for (const { table, parent, columns } of await brokenKeys(tx)) {
    const definition = tables.find(({ name }) => name === table)
    const [named] = columns.find(([from]) => from !== 'account_id') ?? ['account_id']
    const same = columns.map(([from, to]) => `y.${to} = x.${from}`).join(' and ')
    const sql = `select x.account_id, ${idOf(definition ?? { key: [named] })}, x.${named} from ${table} x
      where x.${named} is not null and not exists (select 1 from ${parent} y where ${same})`
    await tx.each(sql, [], ([owner, id, missing]) => {
      const fault = `${named} ${missing} names nothing in ${parent}`
      visit({ table, account: nameOf(owner), id: String(id), fault, remedy: RESTORE })
    })
  }
}
