import type { Json } from '../../../codec/json.ts'
import type { Field, FieldKind, Resource } from '../../../domain/schema.ts'
import type { Purpose } from './field-schemas.ts'
import { bodyFields } from './schemas.ts'

/** Describes an example of a JSON object. In XML the same is written as the schema says. */
type Example = Readonly<Record<string, Json>>

const ofKind: Record<FieldKind, Json> = {
  integer: 1,
  int16: 1,
  decimal: 1,
  boolean: false,
  text: 'text',
  choice: 'choice',
  date: '2026-03-02',
  datetime: '2026-03-02T08:30:00',
  targets: [{ from: '2027-01-01', target: 130 }],
}

/** Returns an example of a field's value. */
export const valueExample = ({ kind, secret, nullable, oneOf, example = oneOf?.[0] }: Field): Json => {
  if (secret) return null
  return example ?? (nullable ? null : ofKind[kind])
}

/** Returns an example of a resource as answers show it. */
export const shownExample = ({ shown }: Resource): Example =>
  Object.fromEntries(shown.map(({ name, field }) => [name, valueExample(field)]))

const isInBodies = ({ required, example, insteadOf }: Field): boolean =>
  required === true || (example !== undefined && insteadOf === undefined)

/** Returns an example of a body: its mandatory fields, and those others that have an example in the field table. */
export const bodyExample = (of: Resource, purpose: Purpose): Example => ({
  ...Object.fromEntries(Object.entries(of.lists ?? {}).map(([name, inner]) => [name, [bodyExample(inner, purpose)]])),
  ...Object.fromEntries(
    bodyFields(of, purpose)
      .filter(({ field }) => isInBodies(field))
      .map(({ name, field }) => [name, valueExample(field)]),
  ),
})
