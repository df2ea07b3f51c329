import type { Command } from '@commander-js/extra-typings'
import { printable } from '../../../domain/schema.ts'
import { DEFAULT_ACCOUNT } from '../../../service/context.ts'
import { addExamples } from '../../args/examples.ts'
import { YES } from '../../args/dry-run.ts'
import { requireConfirmation } from '../../args/prompt.ts'
import type { Act, Register } from '../../cli.ts'
import { printsOne } from '../../output/printed.ts'
import { withStore } from '../../target/bundled-store.ts'

const tokenRecord = printable('token', 'token', {
  login: { kind: 'text', about: 'Login name' },
  token: { kind: 'text', about: 'Account token, shown only once' },
})

/** Says what a new token does to the one before it. */
const endingOf = (account: string): string => `make a new token for account ${account}, which replaces the one in use`

const addCreate = (tokens: Command, act: Act): void => {
  const create = tokens
    .command('create')
    .description('make a new token, which replaces the previous one; it is shown only once')
    .option('--account <name>', 'the account', DEFAULT_ACCOUNT)
    .option('--login <email>', 'show it with the login name of this active user, instead of the administrator')
    .option('-y, --yes', 'do not ask for confirmation if there is a token already')
  addExamples(create, 'service token create', 'service token create --yes -o json')
  printsOne(create, tokenRecord)
  act(create, async (cli, _, { account, login, yes }) => {
    const { accounts: service } = await import('../../../service/accounts/accounts.ts')
    const made = await withStore(cli, async (db) => {
      if (await service.hasToken(db, account, login)) await requireConfirmation(cli, yes, endingOf(account))
      return service.createToken(db, account, cli.io.random, login)
    })
    await cli.printOne(tokenRecord, { login: made.login, token: made.token })
    if (made.replaces) await cli.note('the previous token no longer works')
  })
}

const addRevoke = (tokens: Command, act: Act): void => {
  const revoke = tokens
    .command('revoke')
    .description('make the token invalid; nobody can log in until there is a new one')
    .option('--account <name>', 'the account', DEFAULT_ACCOUNT)
    .option(...YES)
  act(addExamples(revoke, 'service token revoke', 'service token revoke --yes'), async (cli, _, { account, yes }) => {
    const { accounts: service } = await import('../../../service/accounts/accounts.ts')
    await requireConfirmation(cli, yes, `revoke the token of account ${account}`)
    const had = await withStore(cli, (db) => service.revokeToken(db, account))
    await cli.note(had ? `the token of account ${account} no longer works` : `account ${account} has no token`)
  })
}

/** Registers `kpi service token …` */
export const addToken: Register = (group, act) => {
  const tokens = group.command('token').description('the token that clients log in with')
  addCreate(tokens, act)
  addRevoke(tokens, act)
}
