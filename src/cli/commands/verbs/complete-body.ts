import { Fault, type Issue } from '../../../domain/errors.ts'
import { choiceOf, INT16_MAX } from '../../../domain/field-value.ts'
import { type AnyRecord, type NamedField, type Resource, usualWith } from '../../../domain/schema.ts'
import type { CompleteBody } from '../../args/json-input.ts'
import { isId } from '../../args/names.ts'
import { isListedKind, type ListedKind } from '../../../client/operations/kind-operations.ts'
import { nameColumns, type Names } from './reference-names.ts'

type Body = Record<string, unknown>

/** Describes a word for a field: `category` is the name beside `category_id`, and `--frequency` gives `frequency_id`. */
type Word = { readonly name: string; readonly idField: string; readonly kind?: ListedKind }

/** Returns the words for choices that the flags have: those of fields that end in `_id`. */
const choiceWords = (of: Resource): Word[] =>
  of.writable.flatMap(({ name, field }) =>
    field.oneOf && name.endsWith('_id') ? [{ name: name.replace(/_id$/, ''), idField: name }] : [],
  )

/** Holds a body whose names and words stand in the fields of ids. */
type Moved = {
  readonly body: Body
  /** Tells which fields hold names then, though they may look like ids. */
  readonly named: ReadonlySet<string>
  /** Lists the words that stood beside an id, which must mean the same. */
  readonly beside: readonly (Word & { readonly value: unknown })[]
}

/** Moves names and words that stand instead of ids: `category` is `category_id`. */
const withIdFields = (of: Resource, body: object): Moved => {
  const moved: Body = { ...body }
  const named = new Set<string>()
  const beside: (Word & { readonly value: unknown })[] = []
  for (const word of [...nameColumns(of), ...choiceWords(of)]) {
    const { name, idField } = word
    if (!(name in moved) || name in of.fields) continue
    const value = moved[name]
    Reflect.deleteProperty(moved, name)
    if (value === null) continue
    if (idField in moved) {
      beside.push({ ...word, value })
      continue
    }
    moved[idField] = value
    named.add(idField)
  }
  return { body: moved, named, beside }
}

/** Returns what a value means: the id of a name, the letter of a word; anything else is the value itself. */
const meaningOf = async (names: Names, { field }: NamedField, value: unknown, isName: boolean): Promise<unknown> => {
  const { refers } = field
  if (typeof value === 'number' && refers !== undefined && isListedKind(refers))
    return (await names.faultOfId(refers, value)) ?? value
  if (typeof value !== 'string') return value
  if (field.oneOf) return choiceOf(field, value)
  if (refers === undefined || !isListedKind(refers) || value.trim() === '') return value
  if (isId(value) && !isName) return value
  const found = await names.find(refers, value)
  return found instanceof Fault ? found : found.id
}

/** Returns what is wrong with words that stand beside ids and mean something else. */
const besideIssues = async (names: Names, of: Resource, { body, beside }: Moved): Promise<Issue[]> => {
  const issues: Issue[] = []
  for (const { name, idField, value } of beside) {
    const field = of.fields[idField]
    const meant = field && (await meaningOf(names, { name: idField, field }, value, true))
    if (meant instanceof Fault || String(meant) === String(body[idField])) continue
    const both = `${JSON.stringify(value)}, and ${idField} is ${JSON.stringify(body[idField])}`
    issues.push({ field: name, message: `is ${both}; leave out the one that is not meant` })
  }
  return issues
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
    if (refers === undefined || !isListedKind(refers) || !isId(String(id))) return undefined
    return names.find(refers, `#${String(id)}`)
  }
  const usualOf = async ({ field }: NamedField, body: Body): Promise<unknown> =>
    field.usual === 'next' ? nextPlace?.() : usualWith(field, await referredBy(field, body))
  return async (given) => {
    const moved = withIdFields(of, given)
    const { body, named } = moved
    const issues = await besideIssues(names, of, moved)
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
