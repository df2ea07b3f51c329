import { countReasons, reasonsWithLines } from '../../../import/rejects/reason-counts.ts'
import type { Cli } from '../../cli.ts'
import { EXIT } from '../../exit.ts'
import { isForPeople } from '../../output/print.ts'
import { printCounts } from '../../output/summary.ts'
import { createTargetChanges } from '../targets/target-changes.ts'
import {
  type ReadRows,
  type JudgedRow,
  type OpenImport,
  planRows,
  withRead,
  tellReasons,
  summaryOf,
} from './rows-import.ts'
import { countSettled, createTally } from './send-rows.ts'

const lineOf = (row: JudgedRow): number => ('desired' in row ? row.desired.line : row.line)

/** Tells whether a list of rejected rows would only repeat their reasons. */
const saysNothing = (cli: Cli, rows: readonly JudgedRow[]): boolean => {
  const isRead = isForPeople(cli.printing().format) && !cli.flags.quiet && cli.flags.toFile === undefined
  return isRead && rows.length > 0 && rows.every(({ action }) => action === 'reject')
}

/** Says what importing the file would do: the counts first, then a line for each row. */
export const printDryRun = <R extends ReadRows>(run: OpenImport<R>): Promise<number> =>
  withRead(run, async (read, reading) => {
    const { cli, client, printed, parsed, stops, progress, history, measure } = run
    const { rejects } = reading
    const tally = createTally(rejects)
    const plan = await planRows(run, read, read.desired)
    await run.tellPlan(reading, read, plan, false)
    for (const one of plan.planned)
      if (!countSettled(tally, one) && (one.action === 'create' || one.action === 'update')) tally.count(one.action)
    const lines = (await Array.fromAsync(rejects.lines(stops.signal()))).flat()
    const bad = lines.map(({ line, reasons }): JudgedRow => ({ action: 'reject', line, reason: reasons.join('; ') }))
    const good: JudgedRow[] = plan.planned.filter(({ action }) => action !== 'refuse')
    const rows = [...good, ...bad].toSorted((one, other) => lineOf(one) - lineOf(other))
    const rejected = rejects.count()
    const reasons = await countReasons(rejects, stops.signal())
    progress.stop()
    await cli.note(`dry run, nothing was sent: ${printed.sentence(tally.counts, { rejected, rounded: read.rounded })}`)
    const isAlone = !parsed.isSummaryOnly && saysNothing(cli, rows)
    await tellReasons(run, reasons, isAlone ? reasonsWithLines(reasons) : undefined)
    const targetChangeOf = createTargetChanges(client)
    await history.foresee(plan.changes.map((change) => () => targetChangeOf(change)))
    if (parsed.isSummaryOnly)
      await printCounts(cli, printed.summary, { ...summaryOf(run, read, tally, rejected), left: 0, ...measure() })
    else if (!isAlone)
      await cli.printMany(printed.dryRunRow.shown, rows.map((row) => printed.recordOf(read, row)), stops.signal()) // prettier-ignore
    return rejected > 0 ? EXIT.partial : EXIT.done
  })
