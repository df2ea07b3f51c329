import type { Command } from 'commander'
import { textOf } from '../../codec/text.ts'
import { account } from '../../domain/resources/account.ts'
import { type AnyRecord, asPatch } from '../../domain/schema.ts'
import { DEFAULT_ACCOUNT } from '../../service/names.ts'
import type { Act, Cli, Register } from '../cli.ts'
import { addExamples } from '../examples.ts'
import { UsageError } from '../exit.ts'
import { addFlags, type FieldFlag, fieldFlags, mustBeRight, readPlainFlags } from '../flags.ts'
import { withStore } from '../operator.ts'

/** What is settled for an account; its name stays. */
export const settingFlags: readonly FieldFlag[] = fieldFlags(account).filter(({ name }) => name !== 'name')

const withAccount = (command: Command): Command => command.option('--account <name>', 'the account', DEFAULT_ACCOUNT)

const addShow = (settings: Command, act: Act): void => {
  const show = withAccount(settings.command('show', { isDefault: true }).description('show them'))
  act(addExamples(show, 'service settings show', 'service settings'), async (cli, _, { account: name }) => {
    const { accounts: service } = await import('../../service/accounts.ts')
    await cli.printOne(account, await withStore(cli, (db) => service.get(db, String(name))))
  })
}

/** Says of each setting that is another now what it was. */
const noteChanges = async (cli: Cli, before: AnyRecord, after: AnyRecord): Promise<void> => {
  const changes = account.shown
    .map(({ name, field }) => ({
      name,
      was: textOf(field, before[name] ?? null),
      is: textOf(field, after[name] ?? null),
    }))
    .filter(({ was, is }) => was !== is)
    .map(({ name, was, is }) => `${name}: ${was} is now ${is}`)
  await cli.note(changes.length > 0 ? changes.join('\n') : 'nothing has changed')
}

const addSet = (settings: Command, act: Act): void => {
  const set = withAccount(settings.command('set').description('change those that are given'))
  addFlags(set, settingFlags, 'update')
  addExamples(set, 'service settings set --week-start sunday', 'service settings set --fiscal-year-start 4')
  act(set, async (cli, _, flags) => {
    const given = mustBeRight(await readPlainFlags(settingFlags, flags))
    if (Object.keys(given).length === 0) throw new UsageError('nothing to change was given; --help shows the flags')
    const { accounts: service } = await import('../../service/accounts.ts')
    const { before, after } = await withStore(cli, (db) =>
      service.set(db, String(flags['account']), asPatch(account, given)),
    )
    await cli.printOne(account, after)
    await noteChanges(cli, before, after)
  })
}

/** `kpi service settings …` */
export const addSettings: Register = (group, act) => {
  const settings = group.command('settings').description('what is settled for an account')
  addShow(settings, act)
  addSet(settings, act)
}
