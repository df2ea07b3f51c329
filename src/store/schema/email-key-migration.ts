import { listFirst, MOST_LISTED } from '../../domain/count-text.ts'
import { type Issue, KpiError } from '../../domain/errors.ts'
import { nameForm } from '../../domain/name-form.ts'
import type { Writer } from '../db.ts'

type Row = { readonly account: number; readonly id: number; readonly email: string; readonly key: string }

/** Returns a text with the code points of all signs that others may look like. */
const showSigns = (text: string): string =>
  text.replaceAll(/[^ -~]/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`)

const faultOf = (account: string, alike: readonly Row[]): Issue => ({
  field: account,
  message: `users ${listFirst(alike, MOST_LISTED, ({ id, email }) => `${id} (${showSigns(email)})`)}`,
})

const accountNames = async (tx: Writer): Promise<ReadonlyMap<number, string>> =>
  new Map((await tx.all('select id, name from accounts')).map(({ id, name }) => [Number(id), String(name)]))

/** Refuses people of one account with addresses that are one in the form in which they are compared. */
const requireDistinct = async (tx: Writer, rows: readonly Row[]): Promise<void> => {
  const alike = [...Map.groupBy(rows, ({ account, key }) => `${account} ${key}`).values()].filter((some) => some[1])
  if (alike.length === 0) return
  const names = await accountNames(tx)
  throw new KpiError(
    'unusable',
    'the store has people whose e-mail addresses this version takes for one; it was left as it was. Change one of each with the kpi that wrote it, kpi users update ID --email ADDRESS, and open it again',
    { issues: alike.map((some) => faultOf(names.get(some[0]?.account ?? 0) ?? '', some)) },
  )
}

/** Stores e-mail addresses in the form in which they are compared; refuses a store where that makes one of several. */
export const foldEmailKeys = async (tx: Writer): Promise<void> => {
  const stored = await tx.all('select account_id, id, email, email_key from users order by account_id, id')
  const rows = stored.map((row) => ({
    account: Number(row['account_id']),
    id: Number(row['id']),
    email: String(row['email']),
    key: nameForm(String(row['email'])),
    before: String(row['email_key']),
  }))
  await requireDistinct(tx, rows)
  for (const { account, id, key, before } of rows) {
    if (key === before) continue
    await tx.run('update users set email_key = ? where account_id = ? and id = ?', [key, account, id])
  }
}
