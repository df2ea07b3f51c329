import type { Command } from '@commander-js/extra-typings'
import type { KindName } from '../../../changes/records/kind-fields.ts'
import { formatDay } from '../../../domain/day.ts'
import { calculatedKpi, calculationStep } from '../../../domain/resources/calculated-kpi.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { addRange, readRange } from '../../args/day-range.ts'
import { requireDryRun, SUMMARY_ONLY, YES } from '../../args/dry-run.ts'
import { addExamples } from '../../args/examples.ts'
import { markFirst } from '../../args/first-flags.ts'
import { addFieldFlags, BY_NAME } from '../../args/flags.ts'
import { idsIn, resolveRecordId } from '../../args/names.ts'
import type { Act, Cli } from '../../cli.ts'
import { addOutput, printsList, printsOne } from '../../output/printed.ts'
import { addDeleteOutput, deletionOf, DRY_RUN } from '../verbs/delete.ts'
import { addListOptions, applyListOptions, chooseColumns } from '../verbs/list-options.ts'
import type { Command as DefinitionsCommand } from '../verbs/make-listed.ts'
import type { OperatedAccount } from './operator.ts'
import { addVerb, addVerbOfOne, inAccount } from './with-account.ts'

const FORMULAS = `
A formula consists of numbers, + - * / ( ), KPIs by id or exact name in brackets, and SUM, AVG, MIN and MAX over a list:
  [Revenue] / [Visits]      100 * (SUM([3], [4]) - [5]) / [5]
It has no value if a KPI has none in the period, or if it divides by zero; lists skip a KPI that has none.`

const COMMANDS = {
  create: 'service calculated add',
  update: 'service calculated update',
  delete: 'service calculated remove',
} as const

/** Returns a command on the calculated KPIs of an account, whose formulas name all its KPIs. */
const commandOn = async (
  cli: Cli,
  { store, account, client, newer, calculated }: OperatedAccount,
  verb: keyof typeof COMMANDS,
  signal: AbortSignal,
): Promise<DefinitionsCommand> => {
  const entered = (await client.kpis.list()).filter((one) => !one.is_calculated)
  const others = new Map<KindName, readonly AnyRecord[]>([
    ['kpi', entered],
    ['calculated_kpi', await calculated.list()],
  ])
  const operated = { service: store, account, commands: COMMANDS, others }
  return { cli, client, ways: { operator: { newer, calculated } }, of: calculatedKpi, verb, signal, operated }
}

const addAdd = (group: Command, act: Act): void => {
  const bare = addVerb(group, 'add', 'define a KPI that a formula computes').addHelpText('after', FORMULAS)
  addFieldFlags(bare, calculatedKpi, 'add')
  const command = bare
    .option('--dry-run', 'change nothing, and show what would be created')
    .option(...SUMMARY_ONLY)
    .option(...BY_NAME)
    .option('--allow-duplicate', 'create it even if there is one of that name')
  addExamples(
    command,
    'service calculated add --name Share --frequency M --formula "100 * [Revenue] / ([Revenue] + [Visits])"',
    'service calculated add --name "Per visit" --frequency W --formula "[1] / [2]" --over inputs --target-from formula',
  )
  addOutput(command, async () => (await import('../verbs/dry-run-rows.ts')).printsOf(calculatedKpi, 'create'))
  markFirst(command, FIRST)
  act(command, async (cli, _, flags) => {
    requireDryRun(flags)
    const [{ asOperator }, { createListed }] = await Promise.all([
      import('./operator.ts'),
      import('../verbs/create-listed.ts'),
    ])
    await asOperator(cli, flags.account, async (operated, signal) =>
      createListed(await commandOn(cli, operated, 'create', signal), {
        bodies: undefined,
        flags,
        start: 1,
        collection: operated.calculated,
        parent: {},
      }),
    )
  })
}

/** Lists the flags that people use first. */
const FIRST = ['--name', '--formula', '--over', '--frequency', '--unit', '--category', '--target-default', '--dry-run']

const addUpdate = (group: Command, act: Act): void => {
  const bare = addVerbOfOne(group, 'update', 'change a calculated KPI; an empty value clears a field')
  addFieldFlags(bare.addHelpText('after', FORMULAS), calculatedKpi, 'update')
  const command = bare
    .option('--dry-run', 'change nothing, and show the old and new values')
    .option(...SUMMARY_ONLY)
    .option(...BY_NAME)
    .option('--allow-duplicate', 'give it the name even if another one has it')
  addExamples(command, 'service calculated update Share --formula "[Revenue] / SUM([Revenue], [Visits])"')
  addOutput(command, async () => (await import('../verbs/dry-run-rows.ts')).printsOf(calculatedKpi, 'update'))
  markFirst(command, FIRST)
  act(command, async (cli, [name], flags) => {
    requireDryRun(flags)
    const [{ asOperator }, { updateListed }] = await Promise.all([
      import('./operator.ts'),
      import('../verbs/update-listed.ts'),
    ])
    await asOperator(cli, flags.account, async (operated, signal) => {
      const id = await resolveRecordId(operated.client, kpi, name)
      const collection = operated.calculated
      const given = { names: [String(id)], bodies: undefined, flags, parent: undefined, collection, watch: undefined }
      await updateListed(await commandOn(cli, operated, 'update', signal), given)
    })
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
  const command = addVerbOfOne(group, 'remove', 'remove a calculated KPI with its assignments')
    .option(...DRY_RUN)
    .option(...SUMMARY_ONLY)
    .option(...YES)
  addExamples(command, 'service calculated remove Share', 'service calculated remove Share --dry-run')
  addDeleteOutput(command)
  act(command, async (cli, [name], flags) => {
    requireDryRun(flags)
    const [{ asOperator }, { deleteListed }] = await Promise.all([
      import('./operator.ts'),
      import('../verbs/delete-listed.ts'),
    ])
    await asOperator(cli, flags.account, async (operated, signal) => {
      const names = [String(await resolveRecordId(operated.client, kpi, name))]
      const command = await commandOn(cli, operated, 'delete', signal)
      await deletionOf(cli, calculatedKpi, {
        names,
        flags,
        from: async () => operated.calculated,
        removing: (_client, _signal, parent, work) => deleteListed(command, { names, parent }, work),
      })(operated.client, signal)
    })
  })
}

/** Registers `kpi service calculated …` */
export const addCalculated = (service: Command, act: Act): void => {
  const group = service.command('calculated').description('KPIs that a formula computes')
  for (const add of [addAdd, addList, addShow, addTest, addUpdate, addRemove]) add(group, act)
}
