import { pauseEvery } from '../../../client/next-turn.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import type { AnyRecord, Resource } from '../../../domain/schema.ts'
import { nameFields } from '../../../import/definitions/kinds.ts'
import { findDoubtfulNames } from '../../../import/missing/names/doubtful-names.ts'
import type { Cli } from '../../cli.ts'

/** Sets how many names are compared in one turn. */
const NAMES_OF_TURN = 500

const textsOf = (records: readonly object[], field: string): string[] =>
  records.flatMap((record) => {
    const text: unknown = Reflect.get(record, field)
    return typeof text === 'string' ? [text] : []
  })

/**
 * Warns of names that a line gives and that may stand for no value, or look like those of what exists; `existing` is empty
 * where that is not known.
 */
export const warnOfDoubtfulNames = async (
  cli: Cli,
  of: Resource,
  records: readonly object[],
  existing: readonly AnyRecord[],
  signal: AbortSignal,
): Promise<void> => {
  const pause = pauseEvery(NAMES_OF_TURN, signal)
  for (const field of nameFields({ of })) {
    const known = field === 'name' || field === 'email' ? textsOf(existing, field) : []
    const names = textsOf(records, field)
    const doubts = await findDoubtfulNames({ names, known, areKpis: of.name === kpi.name }, pause)
    for (const [name, why] of doubts) await cli.log.warn(`the ${field} "${name}" of the ${of.title} ${why}`)
  }
}
