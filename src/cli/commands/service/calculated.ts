import type { Command } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { nearest } from '../../../client/directory.ts'
import { formatDay } from '../../../domain/day.ts'
import { calculatedKpi, calculationStep } from '../../../domain/resources/calculated-kpi.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import { asDraft, asPatch, type Draft, type Patch } from '../../../domain/schema.ts'
import { addRange, readRange } from '../../args/day-range.ts'
import { addExamples } from '../../args/examples.ts'
import {
  addFieldFlags,
  addUsualFields,
  fieldFlags,
  type FlagValues,
  requireNoFaults,
  readFlags,
} from '../../args/flags.ts'
import { idsIn, resolveRecordId } from '../../args/names.ts'
import type { Act } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { printsList, printsOne } from '../../output/printed.ts'
import { addListOptions, applyListOptions, chooseColumns } from '../verbs/list-options.ts'
import { addVerb, addVerbOfOne, inAccount } from './with-account.ts'

const FORMULAS = `
A formula consists of numbers, + - * / ( ), KPIs by id or exact name in brackets, and SUM, AVG, MIN and MAX over a list:
  [Revenue] / [Visits]      100 * (SUM([3], [4]) - [5]) / [5]
It has no value if a KPI has none in the period, or if it divides by zero; lists skip a KPI that has none.`

const readDraft = async (client: Client, flags: FlagValues): Promise<Draft<typeof calculatedKpi>> => {
  const given = await readFlags(client, fieldFlags(calculatedKpi), flags)
  await addUsualFields(client, calculatedKpi, flags, given, client.kpis.list)
  return asDraft(calculatedKpi, requireNoFaults(given))
}

const readPatch = async (client: Client, flags: FlagValues): Promise<Patch<typeof calculatedKpi>> => {
  const fields = requireNoFaults(await readFlags(client, fieldFlags(calculatedKpi), flags))
  if (Object.keys(fields).length === 0) throw new UsageError('nothing to change was given; --help shows the flags')
  return asPatch(calculatedKpi, fields)
}

const addAdd = (group: Command, act: Act): void => {
  const command = addVerb(group, 'add', 'define a KPI that a formula computes').addHelpText('after', FORMULAS)
  addExamples(
    addFieldFlags(command, calculatedKpi, 'add'),
    'service calculated add --name Share --frequency M --formula "100 * [Revenue] / ([Revenue] + [Visits])"',
    'service calculated add --name "Per visit" --frequency W --formula "[1] / [2]" --over inputs --target-from formula',
  )
  printsOne(command, calculatedKpi)
  act(command, async (cli, _, flags) => {
    const { calculated } = await import('../../../service/definitions/calculated-kpis.ts')
    const record = await inAccount(cli, flags, async (ctx, client) =>
      calculated.add(ctx, await readDraft(client, flags), nearest),
    )
    await cli.printOne(calculatedKpi, record)
  })
}

const addUpdate = (group: Command, act: Act): void => {
  const command = addVerbOfOne(group, 'update', 'change a calculated KPI; an empty value clears a field')
  command.addHelpText('after', FORMULAS)
  addExamples(
    addFieldFlags(command, calculatedKpi, 'update'),
    'service calculated update Share --formula "[Revenue] / SUM([Revenue], [Visits])"',
  )
  printsOne(command, calculatedKpi)
  act(command, async (cli, [name], flags) => {
    const { calculated } = await import('../../../service/definitions/calculated-kpis.ts')
    const record = await inAccount(cli, flags, async (ctx, client) =>
      calculated.update(ctx, await resolveRecordId(client, kpi, name), await readPatch(client, flags), nearest),
    )
    await cli.printOne(calculatedKpi, record)
  })
}

const addList = (group: Command, act: Act): void => {
  const command = addListOptions(addVerb(group, 'list', 'list all calculated KPIs'))
  printsList(command, calculatedKpi)
  act(addExamples(command, 'service calculated list', 'service calculated list -o json'), async (cli, _, flags) => {
    const columns = chooseColumns(calculatedKpi, flags, cli.printing().format)
    const { calculated } = await import('../../../service/definitions/calculated-kpis.ts')
    const records = await inAccount(cli, flags, (ctx) => calculated.list(ctx))
    await cli.printMany(columns, applyListOptions(calculatedKpi, records, flags))
  })
}

const addShow = (group: Command, act: Act): void => {
  const command = addVerbOfOne(group, 'show', 'show how a KPI is calculated')
  printsOne(command, calculatedKpi)
  act(addExamples(command, 'service calculated show Share'), async (cli, [name], flags) => {
    const { calculated } = await import('../../../service/definitions/calculated-kpis.ts')
    const record = await inAccount(cli, flags, async (ctx, client) =>
      calculated.get(ctx, await resolveRecordId(client, kpi, name)),
    )
    await cli.printOne(calculatedKpi, record)
  })
}

const addTest = (group: Command, act: Act): void => {
  const command = addRange(
    addVerbOfOne(group, 'test', 'calculate from the stored entries, and show the inputs'),
  ).option('--users <list>', 'only of these users, by id, name or e-mail address')
  command.addHelpText('after', '\nShown are the periods that begin within these days.')
  addExamples(command, 'service calculated test Share --from this-year --users ann@example.com')
  printsList(command, calculationStep)
  act(command, async (cli, [name], flags) => {
    const rangeOf = readRange(cli, flags)
    const { calculationSteps } = await import('../../../service/reports/calculation-steps.ts')
    const { days, steps } = await inAccount(cli, flags, async (ctx, client) => {
      const days = await rangeOf(client)
      const { users } = flags
      const userIds = users === undefined ? undefined : new Set(await idsIn(client, 'user', '--users', users))
      const parsed = { kpiId: await resolveRecordId(client, kpi, name), days, userIds }
      return { days, steps: await calculationSteps(ctx, parsed) }
    })
    await cli.printMany(chooseColumns(calculationStep, {}, cli.printing().format), steps)
    if (steps.length > 0) return
    await cli.note(
      `no period that begins from ${formatDay(days.from)} to ${formatDay(days.to)} has a value of an input`,
    )
  })
}

const addRemove = (group: Command, act: Act): void => {
  const command = addVerbOfOne(group, 'remove', 'remove a calculated KPI with its assignments').option(
    '-y, --yes',
    'do not ask',
  )
  addExamples(command, 'service calculated remove Share')
  act(command, async (cli, [name], flags) => {
    const { requireConfirmation } = await import('../../args/prompt.ts')
    await requireConfirmation(cli, flags.yes, `remove calculated KPI ${name}, with its assignments`)
    const { calculated } = await import('../../../service/definitions/calculated-kpis.ts')
    const { id, name: removed } = await inAccount(cli, flags, async (ctx, client) =>
      calculated.remove(ctx, await resolveRecordId(client, kpi, name)),
    )
    await cli.note(`KPI ${id} (${removed}) is removed`)
  })
}

/** Registers `kpi service calculated …` */
export const addCalculated = (service: Command, act: Act): void => {
  const group = service.command('calculated').description('KPIs that a formula computes')
  for (const add of [addAdd, addList, addShow, addTest, addUpdate, addRemove]) add(group, act)
}
