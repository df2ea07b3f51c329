import { pauseEvery } from '../../../client/next-turn.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import { fullName } from '../../../domain/resources/user.ts'
import type { AnyRecord, Resource } from '../../../domain/schema.ts'
import { nameFields } from '../../../import/definitions/kinds.ts'
import { findDoubtfulNames } from '../../../import/missing/names/doubtful-names.ts'
import { nearNames, warningsOnNearNames } from '../../../import/missing/near-names.ts'
import type { Cli } from '../../cli.ts'

/** Sets how many names are compared in one turn. */
const NAMES_OF_TURN = 500

/** Names the whole name of a person, which no field holds. */
const WHOLE_NAME = 'full name'

const textIn = (record: object, field: string): string | undefined => {
  const text: unknown = Reflect.get(record, field)
  return typeof text === 'string' ? text : undefined
}

const wholeName = (record: object): string =>
  fullName({ first_name: textIn(record, 'first_name') ?? '', last_name: textIn(record, 'last_name') ?? null })

const textsOf = (records: readonly object[], field: string): string[] =>
  records.map((record) => (field === WHOLE_NAME ? wholeName(record) : (textIn(record, field) ?? ''))).filter(Boolean)

/**
 * Warns of names that a line gives and that may stand for no value, or look like or nearly are those of what exists;
 * `existing` is empty where that is not known.
 */
export const warnOfDoubtfulNames = async (
  cli: Cli,
  of: Resource,
  records: readonly object[],
  existing: readonly AnyRecord[],
  signal: AbortSignal,
): Promise<void> => {
  const pause = pauseEvery(NAMES_OF_TURN, signal)
  const [fields, told] = [nameFields({ of }), new Set<string>()]
  for (const field of fields.includes('first_name') ? [...fields, WHOLE_NAME] : fields) {
    const isOfOne = ['name', 'email', WHOLE_NAME].includes(field)
    const [names, known] = [textsOf(records, field), isOfOne ? textsOf(existing, field) : []]
    const doubts = await findDoubtfulNames({ names, known, areKpis: of.name === kpi.name, areExact: isOfOne }, pause)
    for (const [name, why] of doubts) {
      if (!told.has(name)) await cli.log.warn(`the ${field} "${name}" of the ${of.title} ${why}`)
      told.add(name)
    }
    const near = (await nearNames(of.title, names, known, pause)).filter(({ name }) => !told.has(name))
    for (const warning of warningsOnNearNames(near, 'correct the name')) await cli.log.warn(warning)
  }
}
