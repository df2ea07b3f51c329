import { checkDatedTargets, type DatedTarget, datedTargetsIn } from '../domain/targets/dated-targets.ts'
import { formatDay } from '../domain/day.ts'
import { Fault } from '../domain/errors.ts'
import { datedTarget } from '../domain/resources/dated-target.ts'
import type { Field, FieldValue } from '../domain/schema.ts'
import { membersOf } from './field-names.ts'
import { jsonOfDecimal } from './json-number.ts'

/** Reads one value of JSON. */
type Read = (field: Field, raw: unknown) => FieldValue | Fault

const { from: FROM, target: TARGET } = datedTarget.fields

const isRecord = (raw: unknown): raw is Readonly<Record<string, unknown>> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw) && !JSON.isRawJSON(raw)

const faultAt = (place: number, name: string, value: FieldValue | Fault): Fault =>
  value instanceof Fault
    ? new Fault(`[${place}].${name} ${value.message}`)
    : new Fault(`[${place}].${name} is required`)

/** Reads one dated target; returns all its faults. */
const readOne = (raw: unknown, place: number, read: Read): DatedTarget | Fault[] => {
  if (!isRecord(raw)) return [new Fault(`[${place}] must be an object with from and target`)]
  const { source } = membersOf(datedTarget, raw)
  const [from, target] = [read(FROM, source['from'] ?? null), read(TARGET, source['target'] ?? null)]
  const faults = [
    ...(typeof from === 'number' ? [] : [faultAt(place, 'from', from)]),
    ...(typeof target === 'bigint' ? [] : [faultAt(place, 'target', target)]),
  ]
  return typeof from === 'number' && typeof target === 'bigint' ? { from, target } : faults
}

/** Reads a list of dated targets into the text that is stored; null for none. A fault names all that is wrong in the list. */
export const readDatedTargets = (raw: unknown, read: Read): string | null | Fault => {
  if (!Array.isArray(raw)) return Fault.must('be a list of objects with from and target')
  const all = raw.map((one, place) => readOne(one, place, read))
  const faults = all.flatMap((one) => (Array.isArray(one) ? one : []))
  if (faults.length > 0) return new Fault(faults.map(({ message }) => message).join('; '))
  return checkDatedTargets(all.flatMap((one) => (Array.isArray(one) ? [] : [one])))
}

/** Returns dated targets as JSON. */
export const datedTargetsJson = (text: string): unknown[] =>
  datedTargetsIn(text).map(({ from, target }) => ({ from: formatDay(from), target: jsonOfDecimal(target) }))
