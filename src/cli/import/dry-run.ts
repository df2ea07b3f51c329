import type { AnyRecord } from '../../domain/schema.ts'
import { withPrepared } from '../../load/prepare.ts'
import { type Rehearsed, rehearse } from '../../load/rehearse.ts'
import type { Summary } from '../../load/summary.ts'
import { countOf } from '../count-of.ts'
import { EXIT } from '../exit.ts'
import { printRecords } from '../output/print.ts'
import type { Job } from './jobs.ts'
import { newerRehearsalRow, rehearsalRecord, rehearsalRow } from './output.ts'
import { type Run, workOf } from './work.ts'

async function* asRecords(chunks: AsyncIterable<readonly Rehearsed[]>): AsyncGenerator<readonly AnyRecord[]> {
  for await (const rows of chunks) yield rows.map(rehearsalRecord)
}

/** What a dry run came to; `unread` is what could not be read, so that it cannot be told what would become of entries. */
const shortSummary = (summary: Summary, unread: string): string => {
  const { created, updated, unchanged, unknown, rejected, rounded, empty, assigned, unchecked } = summary
  return (
    `dry run, nothing was sent: ${created} to create, ${updated} to update, ${unchanged} unchanged, ` +
    (unknown > 0 ? `${unknown} to send as ${unread} cannot be read, ` : '') +
    `${countOf(rejected, 'row')} to reject` +
    (rounded > 0 ? `, ${countOf(rounded, 'value')} to round` : '') +
    (empty > 0 ? `, ${empty} empty` : '') +
    (assigned > 0 ? `, ${countOf(assigned, 'assignment')} to create` : '') +
    (unchecked === '' ? '' : `; not checked: ${unchecked}`)
  )
}

/** Says what loading a file would do, a row an entry; answers the exit code. */
export const rehearseJob = (run: Run, job: Job): Promise<number> =>
  withPrepared({ ...workOf(run, job), isDry: true }, async (prepared) => {
    const { cli, client, progress } = run
    progress.stop()
    const row = client.variant === 'classic' ? rehearsalRow : newerRehearsalRow
    await printRecords(cli.io, cli.printing(), row.shown, asRecords(rehearse(prepared)))
    const unread = prepared.reference.unchecked.has('entries') ? 'what is there' : 'the KPIs, which may have targets,'
    await cli.note(shortSummary(prepared.summary, unread))
    return prepared.summary.rejected > 0 ? EXIT.partial : EXIT.done
  })
