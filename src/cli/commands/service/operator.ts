import { createClient, type Client } from '../../../client/client.ts'
import type { CalculatedDraft, CalculatedPatch } from '../../../domain/resources/calculated-kpi.ts'
import { DEFAULT_ACCOUNT } from '../../../service/context.ts'
import { breakdowns } from '../../../service/definitions/breakdowns.ts'
import { calculated } from '../../../service/definitions/calculated-kpis.ts'
import type { Cli } from '../../cli.ts'
import { inProcessTransport, withoutLateReads } from '../../embedded.ts'
import { bundledPlace } from '../../target/bundled-store.ts'
import { inAccount } from './with-account.ts'

/** Names the store of the bundled service, without its credentials. */
const storeName = async (cli: Cli): Promise<string> => {
  const place = bundledPlace(cli)
  if (place.kind === 'sqlite') return place.dataDir
  const [{ findPostgresUrl }, { nameOf }] = await Promise.all([
    import('../../target/postgres-url.ts'),
    import('../../../store/postgres/open-postgres.ts'),
  ])
  return `postgres://${nameOf(findPostgresUrl(cli.io))}`
}

/** Describes an account of the bundled service as its operator administers it: both interfaces, and calculated KPIs. */
export type OperatedAccount = {
  readonly store: string
  readonly account: string
  readonly client: Client
  readonly newer: Client
  readonly calculated: ReturnType<typeof calculatedOf>
  readonly breakdowns: ReturnType<typeof breakdownsOf>
}

type AccountContext = Parameters<typeof calculated.list>[0]

const calculatedOf = (ctx: AccountContext) => ({
  list: () => calculated.list(ctx),
  get: (id: number) => calculated.get(ctx, id),
  add: (draft: CalculatedDraft) => calculated.add(ctx, draft),
  update: (id: number, patch: CalculatedPatch) => calculated.update(ctx, id, patch),
  remove: (id: number) => calculated.remove(ctx, id),
})

const breakdownsOf = (ctx: AccountContext) => ({
  list: () => breakdowns.list(ctx),
  getOwn: (id: number) => breakdowns.getOwn(ctx, id),
})

/** Runs work on an account of the bundled service on this machine. */
export const asOperator = async <T>(
  cli: Cli,
  account: string | undefined,
  work: (operated: OperatedAccount, signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const store = await storeName(cli)
  return inAccount(cli, { account: account ?? DEFAULT_ACCOUNT }, (ctx, client, signal) => {
    const newer = withoutLateReads(inProcessTransport(ctx.db, ctx.account, cli.io.now, 'v1'), signal)
    const operated = {
      client,
      newer: createClient(newer, 'v1'),
      calculated: calculatedOf(ctx),
      breakdowns: breakdownsOf(ctx),
    }
    return work({ store, account: ctx.account.name, ...operated }, signal)
  })
}
