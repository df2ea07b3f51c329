import { hash } from 'node:crypto'
import { type EarlierChanges, readEarlier } from '../../../changes/send/continue-run.ts'
import type { Client } from '../../../client/client.ts'
import { countOf, nounOf } from '../../../domain/count-text.ts'
import { minuteOf } from '../../../import/journal/unfinished.ts'
import type { RunRecord } from '../../../runs/run-record.ts'
import type { Cli } from '../../cli.ts'
import { shellWord } from '../../output/text.ts'
import { beginRun } from '../../target/runs.ts'
import { placeFlags } from '../../target/settings.ts'
import { serviceOf } from '../../target/service-of.ts'

/** Identifies a run: a command with the same parts continues one that was cut off. */
type Asked = {
  readonly command: string
  /** Names the file that it reads, by its absolute path; empty if there is none. */
  readonly source: string
  /** Holds all that it was asked to do, in any form. */
  readonly content: unknown
  /** Holds what it changes: `assignment`, `assignments`. */
  readonly called: readonly [one: string, many: string]
}

/** Returns a text that differs where what is asked for does. */
const fingerprint = (asked: unknown): string =>
  hash(
    'sha256',
    JSON.stringify(asked, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
    'hex',
  )

/** Closes the record of a run once its work is done, however that ends, and says at a terminal how to take back what it did. */
export const keepRun = async <T>(
  { io, flags, note }: Cli,
  run: RunRecord,
  work: (end: () => void) => Promise<T>,
): Promise<T> => {
  let isWhole = false
  try {
    return await work(() => {
      isWhole = true
    })
  } finally {
    const hasDone = run.close({ isWhole, now: io.now() })
    const place = placeFlags(flags).map((one) => ` ${shellWord(one)}`)
    if (hasDone && io.stderr.isTerminal)
      await note(`to take this back: kpi undo ${shellWord(run.head.name)}${place.join('')}`)
  }
}

/**
 * Does work that a record is kept of, and continues that of the same run if it was cut off, which it says. The work calls
 * `end` once all is sent, also where some was refused.
 */
export const withRunRecord = async (
  cli: Cli,
  client: Client,
  { content, called: [one, many], ...asked }: Asked,
  work: (run: RunRecord, earlier: EarlierChanges, end: () => void) => Promise<void>,
): Promise<void> => {
  const { io } = cli
  const account = client.identifyAccount().for
  const run = beginRun(io, { ...asked, service: serviceOf(cli), account, content: fingerprint(content) })
  await keepRun(cli, run, async (end) => {
    const earlier = readEarlier(run)
    const { doneBefore } = earlier
    if (doneBefore > 0)
      await cli.note(
        `continuing what began at ${minuteOf(run.head.beganAt)}: ${countOf(doneBefore, one, many)} ${nounOf(doneBefore, 'is', 'are')} done`,
      )
    await work(run, earlier, end)
  })
}
