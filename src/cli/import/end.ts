import { Stopped } from '../../client/stopped.ts'
import { KpiError } from '../../domain/errors.ts'
import { EXIT, exitCodes, Unfinished } from '../exit.ts'
import { DONE, type Outcome } from './outcome.ts'
import type { Stops } from './stops.ts'

/** What comes of the files of a run, one after another, and of the run as a whole. */
export type Ends = {
  /** Takes what came of the next file; `hasSent` where any of it went to the service. */
  readonly add: (outcome: Outcome, hasSent: boolean) => void
  /** Whether the next file may follow. */
  readonly goesOn: () => boolean
  /** What is to be told of an error that ended the run in the middle of a file. */
  readonly errorOf: (error: unknown) => unknown
  /** The exit code of a run that came to its end; throws where there is something to say. */
  readonly exit: () => number
}

/** These do not keep the next file from being loaded. */
const HARMLESS: ReadonlySet<number> = new Set([EXIT.done, EXIT.partial])

const STOPPED: Outcome = { exit: EXIT.workLeft, code: 'work_left', said: [] }

/** What an error makes of the file that it ended; once something was sent, a service that is not there leaves work. */
const outcomeOf = (error: unknown, hasSent: boolean): Outcome | undefined => {
  if (error instanceof Stopped) return { ...STOPPED, code: 'stopped', said: [error.message] }
  if (!(error instanceof KpiError)) return undefined
  const said = [error.message, ...error.issues.map(({ field, message }) => `${field}: ${message}`)]
  const exit = exitCodes[error.code]
  return hasSent && exit === EXIT.unreachable ? { ...STOPPED, said } : { exit, code: error.code, said }
}

/** Puts what comes of each file into one end. */
export const createEnds = (files: readonly string[], { signal, explain, told }: Stops): Ends => {
  const outcomes: Outcome[] = []
  let hasSentAny = false
  const isOne = files.length === 1
  const linesOf = ({ said }: Outcome, at: number): readonly string[] =>
    isOne ? said : said.map((line) => `${files[at]}: ${line}`)
  const whole = (): Outcome => {
    const rest = files.slice(outcomes.length)
    const said = outcomes.flatMap(linesOf)
    const ender = outcomes.find(({ exit }) => !HARMLESS.has(exit))
    if (rest.length === 0) return { ...(ender ?? outcomes.find(({ exit }) => exit !== EXIT.done) ?? DONE), said }
    const notBegun = explain(`not begun: ${rest.join(', ')}; run the same command to continue`)
    return { ...(ender ?? STOPPED), said: [...said, notBegun] }
  }
  return {
    add: (outcome, hasSent) => {
      outcomes.push(outcome)
      hasSentAny ||= hasSent
    },
    // The first file says by itself that nothing was sent.
    goesOn: () => (outcomes.length === 0 || !signal().aborted) && outcomes.every(({ exit }) => HARMLESS.has(exit)),
    errorOf: (error) => {
      const outcome = outcomeOf(told(error), hasSentAny)
      if (isOne || !outcome) return told(error)
      outcomes.push(outcome)
      const { exit, code, said } = whole()
      return new Unfinished(exit, code, said)
    },
    exit: () => {
      const { exit, code, said } = whole()
      if (said.length > 0) throw new Unfinished(exit, code, said)
      return exit
    },
  }
}
