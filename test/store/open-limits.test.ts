import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createRateLimit } from '../../src/service/limits/rate-limit.ts'
import { sqliteDialect } from '../../src/store/dialect.ts'
import { limitTables } from '../../src/store/schema/limit-tables.ts'
import { limitsBeside } from '../../src/store/rate-limits/open-limits.ts'
import { temporaryFolder } from '../support/folder.ts'
import { NOW } from '../support/io.ts'
import { of } from '../support/limits.ts'

test('a limits file of the first version is brought to this one: it counts anew, and knows refused logins', async () => {
  using folder = temporaryFolder()
  const path = folder.in('kpi-limits.db')
  const database = new DatabaseSync(path)
  for (const statement of limitTables(sqliteDialect)) database.exec(statement)
  database.exec(`insert into request_windows (account_id, accepted, last_at, shift) values (1, 1, ${NOW}, 0);
    insert into accepted_requests (account_id, number, at) values (1, 1, ${NOW});
    insert into refused_logins (pair, times, last_at) values ('a', '${NOW}', ${NOW});
    update login_brakes set pairs = 1;
    pragma application_id = 0x6b706c; pragma user_version = 1`)
  database.close()
  const limits = await limitsBeside(path, () => NOW)
  const refused = await limits.db.read((tx) => tx.all('select pair from refused_logins'))
  expect(refused).toEqual([{ pair: 'a' }])
  const count = createRateLimit(limits, 1)
  // Of the account's token and of each key apart.
  for (const key of [0, 1, 2]) {
    expect(await count(of(1, key))).toMatchObject({ isAccepted: true })
    expect(await count(of(1, key))).toMatchObject({ isAccepted: false })
  }
  await limits.close()
})
