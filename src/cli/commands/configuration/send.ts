import { Fault, KpiError } from '../../../domain/errors.ts'
import type { AnyRecord, FieldValue } from '../../../domain/schema.ts'
import { type Change, isThing, type Value } from './planning/changes.ts'
import { readFormula, withIds } from './planning/formulas.ts'
import type { ApplyRecord } from './record.ts'
import { type Access, accessTo, type Target } from './target.ts'
import { nounOf, type Thing, type Things } from './planning/things.ts'

/** Describes what sending needs. */
type Sending = { readonly target: Target; readonly things: Things; readonly record: ApplyRecord }

const sentValue = (value: Value): FieldValue => (isThing(value) ? (value.id ?? null) : value)

/** Returns the fields of a change by the names of the interface, with the ids of things that are new. */
const fieldsOf = (things: Things, { thing, fields, defaults = {} }: Change): AnyRecord => {
  const written = thing.item?.values['formula']
  const entries = fields.map(({ config, after }): [string, FieldValue] => [
    config.as,
    config.name === 'formula' ? withIds(things, String(written)) : sentValue(after),
  ])
  return Object.fromEntries([
    ...Object.entries(defaults).map(([name, value]): [string, FieldValue] => [name, sentValue(value)]),
    ...entries,
  ])
}

/** Removes something; what has gone meanwhile, with something else, is no failure. */
const remove = async (access: Access, thing: Thing): Promise<void> => {
  try {
    await access.remove(thing.record ?? {})
  } catch (error) {
    if (!(error instanceof KpiError) || error.code !== 'not_found') throw error
  }
}

/** Returns a refusal with the name of what it is about. */
const named = (error: unknown, { action, thing }: Change): unknown => {
  if (!(error instanceof KpiError)) return error
  const { code, message, issues, mayBeDone, missingScope } = error
  return new KpiError(code, `${action} ${nounOf(thing)}: ${message}`, {
    issues,
    mayBeDone,
    missingScope,
    cause: error,
  })
}

/** Returns the things that a change cannot be made without, itself among them. */
const neededBy = (things: Things, { thing, fields, defaults = {} }: Change): Thing[] => {
  const formula = thing.item?.values['formula']
  const read = formula === undefined ? undefined : readFormula(things, String(formula))
  return [
    thing,
    ...Object.values(thing.above),
    ...[...Object.values(defaults), ...fields.map(({ after }) => after)].filter(isThing),
    ...(read === undefined || read instanceof Fault ? [] : read.inputs),
  ]
}

/** Creates the sending of changes, one at a time; what is created is recorded at once. */
export const createSending = ({ target, things, record }: Sending): ((change: Change) => Promise<AnyRecord>) => {
  const access = accessTo(target)
  const createdRecords = new Map<Thing, AnyRecord>()
  const send = async (change: Change): Promise<AnyRecord> => {
    const { action, thing } = change
    const own = access[thing.kind.name]
    if (action === 'delete') {
      await remove(own, thing)
      record.remove(thing)
      return {}
    }
    if (action === 'update')
      return own.update(thing.record ?? createdRecords.get(thing) ?? {}, fieldsOf(things, change))
    const created = await own.add(fieldsOf(things, change))
    thing.id = Number(created['id'])
    createdRecords.set(thing, created)
    record.add(thing, created)
    return created
  }
  const refused = new Set<Thing>()
  return async (change) => {
    try {
      const missing = neededBy(things, change).find((one) => refused.has(one))
      if (missing) throw new KpiError('conflict', `it was not sent, as ${nounOf(missing)} was not made`)
      return await send(change)
    } catch (error) {
      if (change.action === 'create') refused.add(change.thing)
      throw named(error, change)
    }
  }
}
