import { Fault, type Issue } from '../../../domain/errors.ts'
import { choiceOf, INT16_MAX } from '../../../domain/field-value.ts'
import { type AnyRecord, type NamedField, type Resource, usualWith } from '../../../domain/schema.ts'
import type { CompleteBody } from '../../args/json-input.ts'
import { isId, isNamedKind } from '../../args/names.ts'
import { nameColumns, type Names } from './reference-names.ts'

type Body = Record<string, unknown>

/** Describes a word for a field: `category` is the name beside `category_id`, and `--frequency` gives `frequency_id`. */
type Word = { readonly name: string; readonly idField: string }

/** Returns the words for choices that the flags have: those of fields that end in `_id`. */
const choiceWords = (of: Resource): Word[] =>
  of.writable.flatMap(({ name, field }) =>
    field.oneOf && name.endsWith('_id') ? [{ name: name.replace(/_id$/, ''), idField: name }] : [],
  )

/**
 * Moves names and words that stand beside or instead of ids: `category` is `category_id`. Tells which fields hold names
 * then, though they may look like ids.
 */
const withIdFields = (of: Resource, body: object): { readonly body: Body; readonly named: ReadonlySet<string> } => {
  const moved: Body = { ...body }
  const named = new Set<string>()
  for (const { name, idField } of [...nameColumns(of), ...choiceWords(of)]) {
    if (!(name in moved) || name in of.fields) continue
    const value = moved[name]
    Reflect.deleteProperty(moved, name)
    if (idField in moved || value === null) continue
    moved[idField] = value
    named.add(idField)
  }
  return { body: moved, named }
}

/** Returns what a value means: the id of a name, the letter of a word; anything else is the value itself. */
const meaningOf = async (names: Names, { field }: NamedField, value: unknown, isName: boolean): Promise<unknown> => {
  if (typeof value !== 'string') return value
  if (field.oneOf) return choiceOf(field, value)
  if (field.refers === undefined || !isNamedKind(field.refers) || value.trim() === '') return value
  if (isId(value) && !isName) return value
  const found = await names.find(field.refers, value)
  return found instanceof Fault ? found : found.id
}

/** Gives each new record that has no place the next one. */
const createPlaces = (list: () => Promise<readonly AnyRecord[]>): (() => Promise<number>) => {
  let last: number | undefined
  return async () => {
    last ??= Math.max(0, ...(await list()).map(({ sort_order }) => Number(sort_order)))
    last = Math.min(last + 1, INT16_MAX)
    return last
  }
}

/**
 * Creates the completion of objects: names become ids, and words letters. New records get what the flags of `create` get
 * where they are left out; `list` reads those that exist, to place new ones after them.
 */
export const createCompletion = (
  of: Resource,
  names: Names,
  list?: () => Promise<readonly AnyRecord[]>,
): CompleteBody => {
  const nextPlace = list && createPlaces(list)
  const referredBy = async ({ unless }: NamedField['field'], body: Body): Promise<object | undefined> => {
    const { refers } = of.fields[unless?.field ?? ''] ?? {}
    const id = body[unless?.field ?? '']
    if (refers === undefined || !isNamedKind(refers) || !isId(String(id))) return undefined
    return names.find(refers, `#${String(id)}`)
  }
  const usualOf = async ({ field }: NamedField, body: Body): Promise<unknown> =>
    field.usual === 'next' ? nextPlace?.() : usualWith(field, await referredBy(field, body))
  return async (given) => {
    const { body, named } = withIdFields(of, given)
    const issues: Issue[] = []
    for (const one of of.writable) {
      const isMissing = (body[one.name] ?? null) === null
      const value = isMissing && list && one.field.required ? await usualOf(one, body) : body[one.name]
      if (value === undefined) continue
      const meant = await meaningOf(names, one, value, named.has(one.name))
      if (meant instanceof Fault) issues.push({ field: one.name, message: meant.message })
      else body[one.name] = meant
    }
    return { body, issues }
  }
}
