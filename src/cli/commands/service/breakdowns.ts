import { looseName } from '../../../domain/name-form.ts'
import type { Command } from '@commander-js/extra-typings'
import { Fault, KpiError } from '../../../domain/errors.ts'
import { valueOfText } from '../../../domain/field-value.ts'
import { breakdown } from '../../../domain/resources/breakdowns.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { requireDryRun, SUMMARY_ONLY, YES } from '../../args/dry-run.ts'
import { addExamples } from '../../args/examples.ts'
import { BY_NAME } from '../../args/flags.ts'
import { idAmong } from '../../args/names.ts'
import type { Act, Cli, Register } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { addOutput, printsList } from '../../output/printed.ts'
import { addDeleteOutput, deletionOf, DRY_RUN } from '../verbs/delete.ts'
import { addListOptions, applyListOptions, chooseColumns } from '../verbs/list-options.ts'
import type { Command as DefinitionsCommand } from '../verbs/make-listed.ts'
import type { OperatedAccount } from './operator.ts'
import { addVerb, addVerbOfOne, inAccount } from './with-account.ts'

const expectName = (text: string): string => {
  const name = valueOfText(breakdown.fields.name, text) ?? Fault.must('not be empty')
  if (name instanceof Fault) throw new UsageError(`the name ${name.message}`)
  return String(name)
}

/** Returns the id of a breakdown that may be changed, by its id or name. */
const idOf = async ({ breakdowns }: OperatedAccount, text: string): Promise<number> =>
  (await breakdowns.getOwn(idAmong(breakdown.title, await breakdowns.list(), text))).id

/** Refuses the name of the breakdown of people, which is no group. */
const requireOther = async (
  { breakdowns, client }: OperatedAccount,
  name: string,
  { allowDuplicate }: { readonly allowDuplicate?: true | undefined },
): Promise<void> => {
  if (allowDuplicate) return
  const groups = new Set((await client.groups.list()).map(({ id }) => id))
  const people = (await breakdowns.list()).find((one) => !groups.has(one.id) && looseName(one.name) === looseName(name))
  if (people) throw new KpiError('conflict', `"${name}" is the name of breakdown ${people.id}, which is built in`)
}

const COMMANDS = {
  create: 'service breakdowns create',
  update: 'service breakdowns rename',
  delete: 'service breakdowns delete',
} as const

/** Returns a command on the breakdowns of an account, which are its groups. */
const commandOn = (
  cli: Cli,
  { store, account, client, newer, calculated, breakdowns }: OperatedAccount,
  verb: keyof typeof COMMANDS,
  signal: AbortSignal,
): DefinitionsCommand => {
  const shownOf = ({ id }: AnyRecord): Promise<AnyRecord> => breakdowns.getOwn(Number(id))
  const operated = { service: store, account, commands: COMMANDS, ...(verb !== 'delete' && { shownOf }) }
  return { cli, client, ways: { operator: { newer, calculated } }, of: breakdown, verb, signal, operated }
}

const addCreate = (group: Command, act: Act): void => {
  const create = addVerb(group, 'create', 'create a breakdown; create its items with kpi breakdown-items')
    .argument('<name>', breakdown.fields.name.about)
    .option('--dry-run', 'change nothing, and show what would be created')
    .option(...SUMMARY_ONLY)
    .option(...BY_NAME)
    .option('--allow-duplicate', 'create it even if there is one of that name')
  addExamples(create, 'service breakdowns create Channel', 'service breakdowns create Channel --dry-run')
  addOutput(create, async () => (await import('../verbs/dry-run-rows.ts')).printsOf(breakdown, 'create'))
  act(create, async (cli, [text], flags) => {
    requireDryRun(flags)
    const given = { ...flags, name: expectName(text) }
    const [{ asOperator }, { createListed }] = await Promise.all([
      import('./operator.ts'),
      import('../verbs/create-listed.ts'),
    ])
    await asOperator(cli, flags.account, async (operated, signal) => {
      await requireOther(operated, given.name, flags)
      await createListed(commandOn(cli, operated, 'create', signal), {
        bodies: undefined,
        flags: given,
        start: 1,
        collection: operated.client.groups,
        parent: {},
      })
    })
  })
}

const addList = (group: Command, act: Act): void => {
  const list = addListOptions(addVerb(group, 'list', 'list all breakdowns, including People'))
  addExamples(list, 'service breakdowns list', 'service breakdowns list -o json')
  printsList(list, breakdown)
  act(list, async (cli, _, flags) => {
    const columns = chooseColumns(breakdown, flags, cli.printing().format)
    const { breakdowns } = await import('../../../service/definitions/breakdowns.ts')
    const records = await inAccount(cli, flags, breakdowns.list)
    await cli.printMany(columns, applyListOptions(breakdown, records, flags))
  })
}

const addRename = (group: Command, act: Act): void => {
  const rename = addVerbOfOne(group, 'rename', 'give a breakdown another name')
    .argument('<new>', 'the new name')
    .option('--dry-run', 'change nothing, and show the old and the new name')
    .option(...SUMMARY_ONLY)
    .option(...BY_NAME)
    .option('--allow-duplicate', 'give it the name even if another one has it')
  addExamples(rename, 'service breakdowns rename Region Area', 'service breakdowns rename Region Area --dry-run')
  addOutput(rename, async () => (await import('../verbs/dry-run-rows.ts')).printsOf(breakdown, 'update'))
  act(rename, async (cli, [text, wanted], flags) => {
    requireDryRun(flags)
    const given = { ...flags, name: expectName(wanted) }
    const [{ asOperator }, { updateListed }] = await Promise.all([
      import('./operator.ts'),
      import('../verbs/update-listed.ts'),
    ])
    await asOperator(cli, flags.account, async (operated, signal) => {
      const names = [String(await idOf(operated, text))]
      await requireOther(operated, given.name, flags)
      const collection = { list: operated.client.groups.list, get: operated.breakdowns.getOwn }
      const changes = { names, bodies: undefined, flags: given, parent: undefined, collection, watch: undefined }
      await updateListed(commandOn(cli, operated, 'update', signal), changes)
    })
  })
}

const addDelete = (group: Command, act: Act): void => {
  const remove = addVerbOfOne(group, 'delete', 'delete a breakdown that has no items')
    .option(...DRY_RUN)
    .option(...SUMMARY_ONLY)
    .option(...YES)
  addExamples(remove, 'service breakdowns delete Shift', 'service breakdowns delete Shift --yes')
  addDeleteOutput(remove)
  act(remove, async (cli, [text], flags) => {
    requireDryRun(flags)
    const [{ asOperator }, { deleteListed }] = await Promise.all([
      import('./operator.ts'),
      import('../verbs/delete-listed.ts'),
    ])
    await asOperator(cli, flags.account, async (operated, signal) => {
      const names = [String(await idOf(operated, text))]
      const command = commandOn(cli, operated, 'delete', signal)
      await deletionOf(cli, breakdown, {
        names,
        flags,
        from: async () => ({ get: operated.breakdowns.getOwn }),
        removing: (_client, _signal, parent, work) => deleteListed(command, { names, parent }, work),
      })(operated.client, signal)
    })
  })
}

/** Registers `kpi service breakdowns …` */
export const addBreakdowns: Register = (group, act) => {
  const breakdowns = group.command('breakdowns').description('what values are broken down by; the same as groups')
  for (const add of [addCreate, addList, addRename, addDelete]) add(breakdowns, act)
}
