import type { Command } from '@commander-js/extra-typings'
import { formatInstant } from '../../../domain/day.ts'
import { listedKey } from '../../../domain/resources/key.ts'
import { addExamples } from '../../args/examples.ts'
import { YES } from '../../args/dry-run.ts'
import { requireConfirmation } from '../../args/prompt.ts'
import type { Act, Register } from '../../cli.ts'
import { printsList } from '../../output/printed.ts'
import { emptyBecause, tellEmpty } from '../../output/short-answer.ts'
import { addListOptions, applyListOptions, chooseColumns } from '../verbs/list-options.ts'
import { addKeyCreate, addKeyRotate, keysByName, idOfKey, keyLabel } from './make-key.ts'
import { addVerb, addVerbOfOne, inAccount } from './with-account.ts'

const addList = (group: Command, act: Act): void => {
  const list = addListOptions(
    addVerb(group, 'list', 'list all keys, including those that have ended; secrets are not shown'),
  )
  addExamples(list, 'service keys list', 'service keys list --filter status=expiring', 'service keys list -o json')
  printsList(list, listedKey)
  act(list, async (cli, _, flags) => {
    const columns = chooseColumns(listedKey, flags, cli.printing().format)
    const { keys } = await import('../../../service/accounts/keys.ts')
    const records = await inAccount(cli, flags, keys.list)
    const shown = applyListOptions(listedKey, records, flags)
    await cli.printMany(columns, shown)
    if (shown.length === 0)
      await tellEmpty(cli, listedKey, emptyBecause(flags), 'create one with: kpi service keys create NAME')
  })
}

const addRevoke = (group: Command, act: Act): void => {
  const revoke = addVerbOfOne(group, 'revoke', 'make a key invalid, at once and permanently').option(...YES)
  addExamples(revoke, 'service keys revoke nightly', 'service keys revoke nightly --yes')
  act(revoke, async (cli, [text], flags) => {
    await requireConfirmation(cli, flags.yes, `revoke key ${text}, for good`)
    const { keys } = await import('../../../service/accounts/keys.ts')
    const { key: revoked, changed } = await inAccount(cli, flags, async (ctx) =>
      keys.revoke(ctx, await idOfKey(ctx, text, keysByName)),
    )
    const at = formatInstant(revoked.revoked_at ?? 0)
    await cli.note(
      changed ? `${keyLabel(revoked)} no longer works` : `${keyLabel(revoked)} was revoked already, at ${at} UTC`,
    )
  })
}

/** Registers `kpi service keys …` */
export const addKeys: Register = (group, act) => {
  const keys = group.command('keys').description('keys for the newer interface (/v1), each of a user, with scopes')
  for (const add of [addKeyCreate, addList, addKeyRotate, addRevoke]) add(keys, act)
}
