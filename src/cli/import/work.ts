import type { Client } from '../../client/client.ts'
import type { Waiting } from '../../client/transport.ts'
import type { Import } from '../../load/import.ts'
import type { Cli } from '../cli.ts'
import type { Asked } from './asked.ts'
import type { Job } from './jobs.ts'
import { keepMapping } from './keep-mapping.ts'
import type { ProgressView } from './progress.ts'
import type { Stops } from './stops.ts'
import { tellingClock } from '../waits.ts'

/** A run of the command: one or more files, one after another, through one client. */
export type Run = {
  readonly cli: Cli
  readonly client: Client
  readonly asked: Asked
  readonly stops: Stops
  readonly progress: ProgressView
  /** What forgets the loads that have come to their end; called once there is no command to continue any more. */
  readonly finished: (() => void)[]
}

/** A pause that is made as the service cannot be reached, or fails. */
const pauseOf =
  ({ io }: Cli, { waiting }: Client) =>
  (milliseconds: number): Waiting | undefined => {
    const waits = waiting()
    const isOutage = waits?.reason === 'unreachable' || waits?.reason === 'failing'
    return isOutage ? { reason: waits.reason, until: io.now() + milliseconds } : undefined
  }

/** Begins with a file; answers the work that it is. */
export const beginWork = ({ cli, client, asked, stops, progress }: Run, { file, table }: Job): Import => {
  progress.begin(asked.isSeveral ? file : undefined)
  // What is said of a column has to say of which file, unless it does.
  const ofFile = (text: string): string =>
    asked.isSeveral && !text.startsWith(table.name) ? `${table.name}: ${text}` : text
  return {
    client,
    table,
    options: asked.options,
    clock: tellingClock(cli.io, pauseOf(cli, client), progress.waits),
    folder: cli.io.tempDir,
    signal: stops.signal(),
    onProgress: (step) => {
      cli.io.limitMemory()
      progress.show(step)
    },
    onNote: (text) => progress.note(ofFile(text)),
    onWarning: (text) => progress.warn(ofFile(text)),
    onChecked: ({ plan, forms }) => keepMapping(cli, asked, { plan, forms, reading: table.reading }),
  }
}
