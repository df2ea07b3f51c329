import type { Command } from '@commander-js/extra-typings'
import { assignment } from '../../../domain/resources/assignment.ts'
import { addExamples } from '../../args/examples.ts'
import type { Act } from '../../cli.ts'
import { UsageError } from '../../exit.ts'

/** Declares `kpi entries enter` and its flags. */
const declareEnter = (group: Command) =>
  group
    .command('enter')
    .description(
      "ask at the terminal for a day's values of a user, KPI by KPI, in the order of the entry screen; values of breakdown items: kpi entries add --source",
    )
    .option('--user <user>', 'whose values they are, by id, name or e-mail address (default: asked)')
    .option(
      '--date <date>',
      'the day they are for: a date, yesterday, -7d; or a period for the KPIs that have such: last-month, 2026-W07 (default: today)',
    )
    .option('--all', 'ask for all KPIs, also for weekly, monthly and longer ones whose period begins on another day')

/** Describes the flags of `kpi entries enter`. */
export type EnterFlags = ReturnType<ReturnType<typeof declareEnter>['opts']>

/** Registers `kpi entries enter` */
export const addEnter = (group: Command, act: Act): void => {
  const command = declareEnter(group)
  addExamples(command, 'entries enter --user "Ann Lee"', 'entries enter --user ann@example.com --date last-month --all')
  act(command, async (cli, _, flags) => {
    cli.requireCapabilities({ of: assignment, verb: 'list' })
    if (!cli.canAsk) {
      throw new UsageError(
        'kpi entries enter asks at a terminal; in a script use kpi entries add, or kpi entries import',
      )
    }
    const { runEnter } = await import('./enter.ts')
    return runEnter(cli, command, flags)
  })
}
