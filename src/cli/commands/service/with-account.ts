import type { Command } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { type Context, DEFAULT_ACCOUNT } from '../../../service/context.ts'
import type { Cli } from '../../cli.ts'
import { withStore } from '../../target/bundled-store.ts'

/** Does work on an account of the bundled service, until the deadline of the line, or until it is asked to stop. */
type AccountWork<T> = (ctx: Context, client: Client, signal: AbortSignal) => Promise<T>

/** Runs `work` on one account of the bundled service, with a client that finds there what is named. */
const withAccount = <T>(cli: Cli, name: string, work: AccountWork<T>): Promise<T> =>
  withStore(cli, async (db) => {
    const [{ accounts }, { inProcessTransport, withoutLateReads }, { createClient }, { untilDeadline }] =
      await Promise.all([
        import('../../../service/accounts/accounts.ts'),
        import('../../embedded.ts'),
        import('../../../client/client.ts'),
        import('../../args/deadline.ts'),
      ])
    const account = await accounts.get(db, name)
    const ctx = { db: db.ofAccount(account.id), account, now: Math.floor(cli.io.now() / 1000) }
    return untilDeadline(cli.io, cli.flags.deadline, ({ signal }) =>
      work(ctx, createClient(withoutLateReads(inProcessTransport(db, account, cli.io.now), signal)), signal),
    )
  })

/** Adds a verb that works on an account of the bundled service. */
export const addVerb = (group: Command, verb: string, description: string) =>
  group.command(verb).description(description).option('--account <name>', 'the account', DEFAULT_ACCOUNT)

/** Adds a verb that works on one record of an account, which is named by id or name. */
export const addVerbOfOne = (group: Command, verb: string, description: string) =>
  addVerb(group, verb, description).argument('<name>', 'id or name')

/** Runs `work` on the account that a line names. */
export const inAccount = <T>(cli: Cli, { account }: { readonly account: string }, work: AccountWork<T>): Promise<T> =>
  withAccount(cli, account, work)
