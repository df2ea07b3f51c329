import { printable } from '../../../domain/schema.ts'
import { exitOf, type ExitCode } from '../../exit.ts'

/** Describes one thing that the doctor looked at. `exit` is the exit code of a fault. */
export type Finding = {
  readonly name: string
  readonly value: string | null
  readonly from: string | null
  readonly state: 'ok' | 'warning' | 'fault'
  readonly advice: string | null
  readonly exit?: ExitCode
}

/** Describes the rows of `kpi doctor`. */
export const findings = printable('finding', 'finding', {
  name: { kind: 'text', about: 'What was looked at' },
  value: { kind: 'text', about: 'What it is; of a secret only whether it is set', nullable: true, isSentence: true },
  from: { kind: 'text', about: 'What set it', nullable: true, isSentence: true },
  state: { kind: 'text', about: 'ok, warning, or fault' },
  advice: { kind: 'text', about: 'What is wrong, and what to do', nullable: true, isSentence: true },
})

/** Returns a finding about something that is well. */
export const fine = (name: string, value: string | null, from: string | null = null): Finding => ({
  name,
  value,
  from,
  state: 'ok',
  advice: null,
})

/** Returns a finding about something that may become a fault. */
export const doubtful = (name: string, value: string | null, advice: string, from: string | null = null): Finding => ({
  name,
  value,
  from,
  state: 'warning',
  advice,
})

/** Returns a finding about what an error stopped. */
export const faulty = (name: string, error: unknown, value: string | null = null): Finding => ({
  name,
  value,
  from: null,
  state: 'fault',
  advice: error instanceof Error ? error.message : String(error),
  exit: exitOf(error),
})

/** Returns what was found, or the fault that stopped the looking. */
export const looked = (name: string, look: () => Finding | Finding[]): Finding[] => {
  try {
    return [look()].flat()
  } catch (error) {
    return [faulty(name, error)]
  }
}
