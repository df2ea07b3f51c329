import { accountNames, type StoreFault, storeTables } from './check.ts'
import type { Reader } from './db.ts'
import { idOf, RESTORE } from './invariants.ts'
import type { Reference, Table } from './migrations.ts'

const OF_ACCOUNT: Reference = { columns: ['account_id'], parent: 'accounts', to: ['id'] }

/** The rows of a table that name nothing: the account, what names the row, and what is missing. */
const straysOf = (table: Table, reference: Reference): string => {
  const { columns, parent, to } = reference
  const same = columns.map((column, at) => `y.${to[at]} = x.${column}`)
  const within = reference === OF_ACCOUNT ? same : ['y.account_id = x.account_id', ...same]
  return `select x.account_id, ${idOf(table)}, x.${columns[0]} from ${table.name} x
    where x.${columns[0]} is not null and not exists (select 1 from ${parent} y where ${within.join(' and ')})`
}

/**
 * Calls `visit` for every row that names another one, of the same account, that is not there. It is asked of every
 * database alike, as none holds rows to all that they name, nor to anything while somebody repairs it by hand.
 */
export const eachStray = async (tx: Reader, visit: (fault: StoreFault) => void): Promise<void> => {
  const nameOf = await accountNames(tx)
  for (const table of (await storeTables()).filter(({ name }) => name !== 'accounts')) {
    for (const reference of [OF_ACCOUNT, ...(table.references ?? [])]) {
      await tx.each(straysOf(table, reference), [], ([owner, id, missing]) => {
        const fault = `${reference.columns[0]} ${missing} names nothing in ${reference.parent}`
        visit({ table: table.name, account: nameOf(owner), id: String(id), fault, remedy: RESTORE })
      })
    }
  }
}
