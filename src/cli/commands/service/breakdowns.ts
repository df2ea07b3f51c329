import type { Command } from '@commander-js/extra-typings'
import { Fault } from '../../../domain/errors.ts'
import { valueOfText } from '../../../domain/field-value.ts'
import { breakdown } from '../../../domain/resources/breakdowns.ts'
import type { Context } from '../../../service/context.ts'
import { addExamples } from '../../args/examples.ts'
import { idAmong } from '../../args/names.ts'
import type { Act, Register } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { printsList, printsOne } from '../../output/printed.ts'
import { addListOptions, applyListOptions, chooseColumns } from '../verbs/list-options.ts'
import { addVerb, addVerbOfOne, inAccount } from './with-account.ts'

const expectName = (text: string): string => {
  const name = valueOfText(breakdown.fields.name, text) ?? Fault.must('not be empty')
  if (name instanceof Fault) throw new UsageError(`the name ${name.message}`)
  return String(name)
}

const idOf = async (ctx: Context, text: string): Promise<number> => {
  const { breakdowns } = await import('../../../service/definitions/breakdowns.ts')
  return idAmong(breakdown.title, await breakdowns.list(ctx), text)
}

const addCreate = (group: Command, act: Act): void => {
  const create = addVerb(group, 'create', 'create a breakdown; create its items with kpi breakdown-items').argument(
    '<name>',
    breakdown.fields.name.about,
  )
  printsOne(create, breakdown)
  act(addExamples(create, 'service breakdowns create Channel'), async (cli, [text], flags) => {
    const name = expectName(text)
    const { breakdowns } = await import('../../../service/definitions/breakdowns.ts')
    await cli.printOne(breakdown, await inAccount(cli, flags, (ctx) => breakdowns.create(ctx, name)))
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
  const rename = addVerbOfOne(group, 'rename', 'give a breakdown another name').argument('<new>', 'the new name')
  printsOne(rename, breakdown)
  act(addExamples(rename, 'service breakdowns rename Region Area'), async (cli, [text, wanted], flags) => {
    const name = expectName(wanted)
    const { breakdowns } = await import('../../../service/definitions/breakdowns.ts')
    const renamed = await inAccount(cli, flags, async (ctx) => breakdowns.rename(ctx, await idOf(ctx, text), name))
    await cli.printOne(breakdown, renamed)
  })
}

const addDelete = (group: Command, act: Act): void => {
  const remove = addVerbOfOne(group, 'delete', 'delete a breakdown that has no items').option('-y, --yes', 'do not ask')
  addExamples(remove, 'service breakdowns delete Shift', 'service breakdowns delete Shift --yes')
  act(remove, async (cli, [text], flags) => {
    const { requireConfirmation } = await import('../../args/prompt.ts')
    await requireConfirmation(cli, flags.yes, `delete breakdown ${text}`)
    const { breakdowns } = await import('../../../service/definitions/breakdowns.ts')
    const { id, name } = await inAccount(cli, flags, async (ctx) => breakdowns.remove(ctx, await idOf(ctx, text)))
    await cli.note(`deleted breakdown ${id} (${name})`)
  })
}

/** Registers `kpi service breakdowns …` */
export const addBreakdowns: Register = (group, act) => {
  const breakdowns = group.command('breakdowns').description('what values are broken down by; the same as groups')
  for (const add of [addCreate, addList, addRename, addDelete]) add(breakdowns, act)
}
