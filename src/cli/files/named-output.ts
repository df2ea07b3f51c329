import type { Writing } from '../../files/write-file.ts'
import { readDeadline } from '../args/deadline.ts'
import type { Cli } from '../cli.ts'
import { rightsOf } from '../target/store-rights.ts'

/** Returns how a file is written that the user named: with the store's permissions, and a pipe until the deadline. */
export const namedOutput = (cli: Pick<Cli, 'io' | 'flags'>): Writing => {
  const { io, flags } = cli
  const signal = io.alarm(readDeadline(flags.deadline, io.now()).at - io.now())
  return { ...rightsOf(cli), isNamed: true, signal }
}
