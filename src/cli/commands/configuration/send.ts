import { createdKind } from '../../../domain/kinds.ts'
import { Fault, KpiError } from '../../../domain/errors.ts'
import type { AnyRecord, FieldValue } from '../../../domain/schema.ts'
import { removeNewDoubles } from '../../../import/missing/remove-doubles.ts'
import { type Change, isThing, type Value } from './planning/changes.ts'
import { readFormula, withIds } from './planning/formulas.ts'
import type { ApplyRecord } from './record.ts'
import { type Access, accessTo, type Target } from './target.ts'
import { nounOf, type Thing, type Things } from './planning/things.ts'

/** Describes what sending needs, and receives what was removed as another machine had just created the same. */
type Sending = {
  readonly target: Target
  readonly things: Things
  readonly record: ApplyRecord
  readonly changes: readonly Change[]
  readonly signal: AbortSignal
  readonly onRemoved: (thing: Thing) => Promise<void>
}

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

/**
 * Creates what looks again after the last thing of a kind was created, before others refer to it: where another machine has
 * created one of the same name at the same moment, that one is used, and what was made beside it is removed.
 */
const createSettling = (
  { target, things, record, changes, signal, onRemoved }: Sending,
  created: ReadonlyMap<Thing, AnyRecord>,
) => {
  const creates = changes.filter(({ action }) => action === 'create')
  const last = new Set(creates.map(({ thing }) => creates.findLast((one) => one.thing.kind === thing.kind)))
  return async (change: Change): Promise<void> => {
    const { kind } = change.thing
    const createdAs = createdKind(kind.of)
    // People are told apart by their e-mail addresses, of which the service takes each once.
    if (!last.has(change) || createdAs === undefined || createdAs === 'user') return
    const made = [...created.keys()].filter((thing) => thing.kind === kind)
    const known = new Set(
      things.ofKind(kind.name).flatMap(({ id, record: before }) => (id !== undefined && before ? id : [])),
    )
    const own = made.map(({ id = 0, name }) => ({ kind: createdAs, id, name }))
    for (const { thing, older } of await removeNewDoubles(target.client, createdAs, own, known, signal)) {
      const double = made.find(({ id }) => id === thing.id)
      if (!double) continue
      record.remove(double)
      double.id = older
      await onRemoved(double)
    }
  }
}

/** Creates the sending of changes, one at a time; what is created is recorded at once. */
export const createSending = (sending: Sending): ((change: Change) => Promise<AnyRecord>) => {
  const { target, things, record } = sending
  const access = accessTo(target)
  const createdRecords = new Map<Thing, AnyRecord>()
  const settle = createSettling(sending, createdRecords)
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
    } finally {
      await settle(change)
    }
  }
}
