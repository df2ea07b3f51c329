import type { AnyRecord } from '../../../domain/schema.ts'
import { countReasons, reasonsWithLines } from '../../../import/rejects/reason-counts.ts'
import type { Cli } from '../../cli.ts'
import { EXIT } from '../../exit.ts'
import { printDryRunCounts } from '../../output/dry-run-counts.ts'
import { isForPeople } from '../../output/print.ts'
import { type ReadRows, type OpenImport, planRows, withRead, tellReasons, summaryOf } from './rows-import.ts'
import { countSettled, createTally } from './send-rows.ts'

/** Tells whether the rows are for people, who have read the reasons for their rejection above them. */
const saysNothing = (cli: Cli): boolean =>
  isForPeople(cli.printing().format) && !cli.flags.quiet && cli.flags.toFile === undefined

/** Describes a row as it is printed, by its line. */
type ShownRow = { readonly line: number; readonly record: AnyRecord }

/** Says what importing the file would do: the counts first, then a line for each row. */
export const printDryRun = <R extends ReadRows>(run: OpenImport<R>): Promise<number> =>
  withRead(run, async (read, reading) => {
    const { cli, client, printed, parsed, stops, progress, history, measure } = run
    const { rejects } = reading
    const tally = createTally(rejects, read.lineOf)
    const good: ShownRow[] = []
    let planned = 0
    const { partsOf, lineOf = (place: number) => place } = read
    for (const part of partsOf?.(read.desired) ?? [{ desired: read.desired, look: async () => read.snapshot }]) {
      const own = { ...read, snapshot: await part.look() }
      const plan = await planRows(run, own, part.desired)
      await run.tellPlan(reading, own, plan, false)
      await history.read(plan.changes)
      for (const one of plan.planned) {
        if (!countSettled(tally, one) && (one.action === 'create' || one.action === 'update')) tally.count(one.action)
        if (one.action === 'refuse') continue
        planned += 1
        // Keep of a plan only what is printed: there may be very many rows.
        if (!parsed.isSummaryOnly) good.push({ line: lineOf(one.desired.line), record: printed.recordOf(own, one) })
      }
    }
    const lines = (await Array.fromAsync(rejects.lines(stops.signal()))).flat()
    const bad = lines.map(({ line, reasons }): ShownRow => {
      return { line, record: printed.recordOf(read, { action: 'reject', line, reason: reasons.join('; ') }) }
    })
    const rows = [...good, ...bad].toSorted((one, other) => one.line - other.line)
    const rejected = rejects.count()
    const reasons = await countReasons(rejects, stops.signal())
    progress.stop()
    await cli.note(`dry run, nothing was sent: ${printed.sentence(tally.counts, { rejected, rounded: read.rounded })}`)
    const isAlone = !parsed.isSummaryOnly && planned === 0 && bad.length > 0 && saysNothing(cli)
    await tellReasons(run, reasons, isAlone ? reasonsWithLines(reasons) : undefined)
    for (const line of printed.adviceOnRejects?.(read) ?? []) await cli.note(line)
    await history.foresee()
    if (parsed.isSummaryOnly) {
      const counts = { ...summaryOf(run, read, tally, rejected), left: 0, ...measure(), receipt: null }
      await printDryRunCounts(cli, printed.summary, counts)
    } else if (!isAlone) {
      const records = rows.map(({ record }) => record)
      const named = (await printed.withNames?.(client, records)) ?? { shown: printed.dryRunRow.shown, records }
      await cli.printMany(named.shown, named.records, stops.signal())
    }
    return rejected > 0 ? EXIT.partial : EXIT.done
  })
