import { createClient } from '../src/client/client.ts'
import { inProcessTransport } from '../src/cli/embedded.ts'
import { accounts } from '../src/service/accounts/accounts.ts'
import { openPostgres } from '../src/store/postgres/open-postgres.ts'
import { startCluster } from '../test/support/postgres.ts'
import { KPIS, kpisOfData, USERS, usersOfData } from './data.ts'
import type { Figure } from './figure.ts'
import { batching } from './serving.ts'

const ACCOUNT = 'bench'

/** Makes the account of the data in a PostgreSQL. */
const makeAccount = async (url: string): Promise<void> => {
  const db = await openPostgres({ url })
  const account = await accounts.create(db, { name: ACCOUNT, login: 'bench@example.com', plan: 'team' }, 0)
  const client = createClient(inProcessTransport(db, account, () => 0))
  for (const kpi of kpisOfData()) await client.kpis.add({ ...kpi, category_id: 1, aggregate_function: 'SUM' })
  for (const user of usersOfData()) await client.users.add(user)
  for (let user = 2; user < USERS + 2; user += 1) {
    for (let id = 1; id <= KPIS; id += 1) await client.assignments(user).add({ id, sort_order: id })
  }
  await db.close()
}

/** What a PostgreSQL with its usual settings, every commit on the disk, takes of batches. */
export const onPostgres = async (): Promise<Figure[]> => {
  const cluster = await startCluster([])
  try {
    await makeAccount(cluster.url)
    const served = { flags: ['--store', 'postgres'], account: ACCOUNT, env: { KPI_POSTGRES_URL: cluster.url } }
    return await batching(served, 'PostgreSQL', 25_000)
  } finally {
    await cluster.stop()
  }
}
