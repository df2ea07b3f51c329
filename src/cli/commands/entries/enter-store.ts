import type { Client } from '../../../client/client.ts'
import { isEmptyValue } from '../../../client/operations/batch-answer.ts'
import { Aborted } from '../../../client/transport.ts'
import { isObject } from '../../../codec/json.ts'
import { isTransient, KpiError } from '../../../domain/errors.ts'
import type { EntryDraft } from '../../../domain/resources/entry.ts'
import { EXIT, exitOf, IncompleteRun, type ExitCode } from '../../exit.ts'
import { countOf } from '../../output/text.ts'

/** Describes a value that was entered: the KPI's name, what is sent, and the line that enters it alone. */
export type EnteredValue = { readonly name: string; readonly draft: EntryDraft; readonly line: string }

type Failure = { readonly value: EnteredValue; readonly error: KpiError | Aborted }

/** Describes what became of values that were sent. */
type Outcome = {
  readonly stored: readonly EnteredValue[]
  readonly failures: readonly Failure[]
  readonly unsent: readonly EnteredValue[]
}

const mayBeDone = ({ error }: Failure): boolean => error instanceof KpiError && error.mayBeDone

/** Tells whether the values behind a failed one would fail, too: the service is not there, or accepts nobody. */
const endsAll = (failure: Failure): boolean =>
  failure.error instanceof Aborted ||
  mayBeDone(failure) ||
  failure.error.code === 'unauthorized' ||
  isTransient(failure.error)

/** Sends one value. A third-party service may report an error in an answer that is otherwise good. */
const putValue = async (client: Client, { draft }: EnteredValue): Promise<void> => {
  const { words, body } = (await client.entries.put(draft)).response
  if (words !== undefined && isObject(body) && !(isEmptyValue(body['error']) && isEmptyValue(body['errors'])))
    throw new KpiError('invalid', words)
}

/** Sends values one after the other; one that is refused does not keep back the others. */
const sendInTurn = async (client: Client, values: readonly EnteredValue[], signal: AbortSignal): Promise<Outcome> => {
  const [stored, failures]: [EnteredValue[], Failure[]] = [[], []]
  for (const [at, value] of values.entries()) {
    try {
      if (signal.aborted) throw new Aborted('it was interrupted')
      await putValue(client, value)
      stored.push(value)
    } catch (error) {
      if (!(error instanceof KpiError || error instanceof Aborted)) throw error
      const failure = { value, error }
      failures.push(failure)
      if (endsAll(failure)) return { stored, failures, unsent: values.slice(at + 1) }
    }
  }
  return { stored, failures, unsent: [] }
}

const namesOf = (values: readonly EnteredValue[]): string => values.map(({ name }) => name).join(', ')

/** Returns the exit code of values that are not all stored. */
const exitCodeOf = ({ stored, failures, unsent }: Outcome): ExitCode => {
  const [first] = failures
  const isUnknown = failures.some(mayBeDone)
  const last = failures.at(-1)
  if (first && stored.length === 0 && !isUnknown) return exitOf(last && endsAll(last) ? last.error : first.error)
  if (last?.error instanceof KpiError && last.error.code === 'unauthorized') return EXIT.unauthorized
  return unsent.length > 0 || isUnknown || (last && endsAll(last)) ? EXIT.workLeft : EXIT.partial
}

const linesFor = (outcome: Outcome, whose: string): string[] => {
  const { stored, failures, unsent } = outcome
  const unknown = failures.filter(mayBeDone).map(({ value }) => value)
  const left = [...failures.map(({ value }) => value), ...unsent]
  const certain = left.filter((value) => !unknown.includes(value))
  const total = countOf(stored.length + left.length, 'value')
  return [
    ...failures.map(({ value, error }) => `${value.name}: ${error.message}`),
    stored.length === 0
      ? `stored none of ${total} of ${whose}`
      : `stored ${stored.length} of ${total} of ${whose}: ${namesOf(stored)}`,
    ...(certain.length > 0 ? [`not stored: ${namesOf(certain)}`] : []),
    ...(unknown.length > 0
      ? [`it is not known whether this was stored: ${namesOf(unknown)}; entering it again does no harm`]
      : []),
    'the rest is entered with:',
    ...left.map(({ line }) => line),
  ]
}

/** Returns the error for values that were sent together, of which the service stores all or none. */
const failedTogether = (values: readonly EnteredValue[], error: KpiError): Outcome => {
  const about = error.issues.flatMap((issue) => {
    const value = values[issue.index ?? NaN]
    return value ? [{ value, error: new KpiError(error.code, issue.message, { mayBeDone: error.mayBeDone }) }] : []
  })
  const named = about.map(({ value }) => value)
  if (named.length > 0) return { stored: [], failures: about, unsent: values.filter((one) => !named.includes(one)) }
  return { stored: [], failures: values.slice(0, 1).map((value) => ({ value, error })), unsent: values.slice(1) }
}

const sendTogether = async (client: Client, values: readonly EnteredValue[]): Promise<Outcome> => {
  try {
    await client.entries.addMany(values.map(({ draft }) => draft))
    return { stored: values, failures: [], unsent: [] }
  } catch (error) {
    if (error instanceof KpiError) return failedTogether(values, error)
    throw error
  }
}

/**
 * Stores values: together on the bundled service, so that all are there or none, and one after the other elsewhere.
 * Throws what was stored and what was not, with the lines that enter the rest.
 */
export const storeValues = async (
  client: Client,
  values: readonly EnteredValue[],
  whose: string,
  signal: AbortSignal,
): Promise<void> => {
  const outcome = await (client.isBundled() ? sendTogether(client, values) : sendInTurn(client, values, signal))
  if (outcome.failures.length === 0) return
  const [{ error } = { error: undefined }] = outcome.failures
  const code = error instanceof KpiError ? error.code : 'work_left'
  throw new IncompleteRun(exitCodeOf(outcome), code, linesFor(outcome, whose))
}
