import { hash } from 'node:crypto'
import { type EarlierChanges, readEarlier, settleEntries } from '../../../changes/send/continue-run.ts'
import type { Client } from '../../../client/client.ts'
import type { RunRecord } from '../../../runs/run-record.ts'
import type { Cli } from '../../cli.ts'
import { beginRun, type BegunRun } from '../../target/runs.ts'
import { serviceOf, undoLine } from '../../target/service-of.ts'

/** Identifies a run: a command with the same parts continues one that was cut off. */
type Asked = {
  readonly command: string
  /** Holds all that it was asked to do, in any form. */
  readonly content: unknown
  /** Names what stands in the content and does not tell runs apart, or may be read by nobody. */
  readonly leftOut?: ReadonlySet<string>
  /** Opens the record of the run; among the receipts by default. */
  readonly begin?: (begun: BegunRun) => RunRecord | Promise<RunRecord>
}

/** Holds the run of a command, and what earlier parts of it did. */
export type RecordedRun = {
  readonly run: RunRecord
  readonly earlier: EarlierChanges
  /** Notes that all of it was sent, though some may have been refused. */
  readonly end: () => void
}

/** Returns a text that differs where what is asked for does. */
const fingerprint = ({ content, leftOut }: Asked): string =>
  hash(
    'sha256',
    JSON.stringify(content, (name, value: unknown) => {
      if (leftOut?.has(name)) return undefined
      return typeof value === 'bigint' ? `${value}n` : value
    }),
    'hex',
  )

/** Closes the record of a run once its work is done, however that ends, and says at a terminal how to take back what it did. */
export const keepRun = async <T>(
  { io, flags, note }: Cli,
  run: RunRecord,
  work: (end: () => void) => Promise<T>,
): Promise<T> => {
  let [isWhole, isSaid] = [false, false]
  try {
    return await work(() => {
      isWhole = true
    })
  } catch (error) {
    isSaid = error instanceof Error && error.message.includes(run.head.name)
    throw error
  } finally {
    const hasDone = run.close({ isWhole, now: io.now() })
    if (hasDone && !isSaid && io.stderr.isTerminal)
      await note(`to take this back: ${undoLine(flags, 'undo', run.head.name)}`)
  }
}

/** Does work that a record is kept of, and continues that of the same run if it was cut off. */
export const withRunRecord = async <T>(
  cli: Cli,
  client: Client,
  asked: Asked,
  work: (run: RecordedRun) => Promise<T>,
): Promise<T> => {
  const { command, begin = (begun) => beginRun(cli.io, begun) } = asked
  const account = client.identifyAccount().for
  const run = await begin({ command, source: '', service: serviceOf(cli), account, content: fingerprint(asked) })
  return keepRun(cli, run, async (end) => {
    await settleEntries(client, run)
    return work({ run, earlier: readEarlier(run), end })
  })
}
