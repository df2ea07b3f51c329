import { type Command, Option } from '@commander-js/extra-typings'
import { SUMMARY_ONLY, YES } from '../../args/dry-run.ts'
import { addExamples } from '../../args/examples.ts'
import type { Act } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { addDeleteOutput, DRY_RUN } from '../verbs/delete.ts'

const declareDelete = (group: Command) =>
  group
    .command('delete')
    .description('delete entries by id, or all of a range of days')
    .argument('[ids...]', 'ids')
    .option('--from <day>', 'first day of a range, with --to; or a period alone: last-month, 2026-Q3 and the like')
    .option('--to <day>', 'last day (default: the last day of the period in --from, today if that is earlier)')
    .option('--user <list>', 'only of these users, by id, name or e-mail address, separated by commas')
    .addOption(new Option('--source <item>', 'only of this breakdown item, by id or name').conflicts('user'))
    .option('--kpi <list>', 'only of these KPIs, by id or name')
    .option(...DRY_RUN)
    .option(...SUMMARY_ONLY)
    .option(...YES)

/** Describes the flags of the command. */
export type DeleteFlags = ReturnType<ReturnType<typeof declareDelete>['opts']>

/** Registers `kpi entries delete` */
export const addDeleteEntries = (group: Command, act: Act): void => {
  const command = declareDelete(group)
  addExamples(
    command,
    'entries delete 1 2 --dry-run',
    'entries delete 1 2 --yes',
    'entries delete --from last-month --to yesterday --user "Ann Lee" --kpi Visits',
  )
  addDeleteOutput(command)
  act(command, async (cli, [ids], flags) => {
    const { from, to, user, source, kpi } = flags
    const isRange = [from, to, user, source, kpi].some((one) => one !== undefined)
    if (isRange && ids.length > 0) throw new UsageError('ids and a range of days are both given; give one of them')
    const { deleteByIds, deleteRange } = await import('./delete-entries.ts')
    return isRange || ids.length === 0 ? deleteRange(cli, flags) : deleteByIds(cli, ids, flags)
  })
}
