import { findDoubtfulNames, NO_VALUE } from '../../../changes/names/doubtful-names.ts'
import { nearNames, warningsOnNearNames } from '../../../changes/names/near-names.ts'
import { looseName } from '../../../client/directory.ts'
import { pauseEvery } from '../../../client/next-turn.ts'
import { type Issue, KpiError } from '../../../domain/errors.ts'
import { nameFieldsOf } from '../../../domain/kinds.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import { fullName } from '../../../domain/resources/user.ts'
import type { AnyRecord, Resource } from '../../../domain/schema.ts'
import { definitionKind } from '../../../import/definitions/kinds.ts'
import { namesIn } from '../../args/names.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import type { NamedRecord } from './require-new-names.ts'

/** Sets how many names are compared in one turn. */
const NAMES_OF_TURN = 500

/** Names the whole name of a person, which no field holds. */
const WHOLE_NAME = 'full name'

const textIn = (record: object, field: string): string => {
  const text: unknown = Reflect.get(record, field)
  return typeof text === 'string' ? text : ''
}

const nameIn = (record: object, field: string): string =>
  field === WHOLE_NAME
    ? fullName({ first_name: textIn(record, 'first_name'), last_name: textIn(record, 'last_name') || null })
    : textIn(record, field)

/** Returns the name that a record is given; empty if it has that name already. */
const newNameIn = ({ record, held }: NamedRecord, field: string): string => {
  const name = nameIn(record, field)
  return held && nameIn(held, field) === name ? '' : name
}

/** Returns the names of the records that exist beside those that are written: those of the same parents, as they stay. */
const namesBeside = (
  of: Resource,
  list: readonly NamedRecord[],
  existing: readonly AnyRecord[],
  field: string,
): string[] => {
  const { within } = definitionKind(of)
  const parents = new Set(list.map(({ record }) => (within === undefined ? '' : String(Reflect.get(record, within)))))
  const changed = new Set(list.flatMap((one) => (one.held && newNameIn(one, field) ? [one.held['id']] : [])))
  return existing
    .filter((one) => parents.has(within === undefined ? '' : String(one[within])) && !changed.has(one['id']))
    .map((one) => nameIn(one, field))
}

/** Holds what the names of records are judged by. */
type Judging = {
  /** Lists what exists; empty where that is not known. */
  readonly existing: readonly AnyRecord[]
  /** Holds `--by-name` as given: the fields whose names are meant. */
  readonly byName: string[] | undefined
  readonly signal: AbortSignal
  /** Says how many records of the list come before these. */
  readonly before?: number
}

/** Returns the fields that `--by-name` names. */
const meantFields = (of: Resource, given: readonly string[] = []): string[] => {
  const [fields, known] = [namesIn('--by-name', ...given).map((field) => field.trim()), nameFieldsOf(of)]
  const unknown = fields.find((field) => !known.includes(field))
  if (unknown === undefined) return fields
  throw new UsageError(`--by-name ${unknown} is not one of ${known.join(', ')}`)
}

/** Refuses names that look like others with letters of another script. */
const refuseLookAlikes = (title: string, issues: readonly Issue[]): void => {
  if (issues.length > 0) throw new KpiError('conflict', `a ${title} would look like another one`, { issues })
}

/**
 * Refuses names that a line gives and that look like others with letters of another script, unless `--by-name` says that
 * they are meant; warns of those that may stand for no value, or nearly are those of what exists.
 */
export const checkDoubtfulNames = async (
  cli: Cli,
  of: Resource,
  list: readonly NamedRecord[],
  { existing, byName, signal, before = 0 }: Judging,
): Promise<void> => {
  const pause = pauseEvery(NAMES_OF_TURN, signal)
  const meant = meantFields(of, byName)
  const [fields, told, issues] = [nameFieldsOf(of), new Set<string>(), new Array<Issue>()]
  // People often have names that are nearly those of others; letters beyond ASCII may be mistaken ones.
  const mayBeMistyped = (name: string): boolean => name !== '' && (!fields.includes('email') || /[^ -~]/.test(name))
  const isOneOfMany = before + list.length > 1
  for (const field of fields.includes('first_name') ? [...fields, WHOLE_NAME] : fields) {
    const isOfOne = ['name', 'email', WHOLE_NAME].includes(field)
    const each = list.map((one) => newNameIn(one, field))
    const names = each.filter(Boolean)
    const known = isOfOne ? namesBeside(of, list, existing, field).filter(Boolean) : []
    // Two records whose names differ in invisible signs alone have one name, which is refused before.
    const areExact = field === WHOLE_NAME
    const doubts = await findDoubtfulNames({ names, known, areKpis: of.name === kpi.name, areExact }, pause)
    const isRefused = (why: string): boolean => field !== WHOLE_NAME && why !== NO_VALUE
    for (const [at, name] of each.entries()) {
      const why = doubts.get(name)
      if (why === undefined || meant.includes(field)) continue
      const message = `"${name}" ${why}: correct it, or --by-name ${field} takes it as it is`
      if (isRefused(why)) issues.push({ ...(isOneOfMany && { index: before + at }), field, message })
      else if (!told.has(name)) await cli.log.warn(`the ${field} "${name}" of the ${of.title} ${why}`)
      told.add(name)
    }
    const fresh = list.flatMap((one, at) => (one.held ? [] : (each[at] ?? []))).filter(mayBeMistyped)
    const near = (await nearNames(of.title, fresh, known, pause)).filter(
      (one) => !told.has(one.name) && looseName(one.name) !== looseName(one.known),
    )
    for (const warning of warningsOnNearNames(near, 'correct the name')) await cli.log.warn(warning)
  }
  refuseLookAlikes(of.title, issues)
}
