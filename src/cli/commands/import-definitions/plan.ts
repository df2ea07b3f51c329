import { looseName } from '../../../client/directory.ts'
import { readDraft, readPatch } from '../../../codec/json.ts'
import { Fault, type Issue } from '../../../domain/errors.ts'
import type { AnyRecord, FieldValue, Resource } from '../../../domain/schema.ts'
import { recordLabel } from '../../output/short-answer.ts'
import type { Names } from '../verbs/reference-names.ts'

/** Describes what a row wants: fields by their names, as texts or in the form of JSON. */
export type WantedRow = { readonly line: number; readonly body: Readonly<Record<string, unknown>> }

/** Describes a field that changes. */
export type FieldChange = { readonly field: string; readonly was: FieldValue; readonly will: FieldValue }

/** Says what becomes of a thing that exists already. */
export type OnConflict = 'update' | 'skip' | 'error'

/** Describes what is to be done for a row. `parent` is the id of the group of a group item. */
export type PlannedRow = { readonly line: number } & (
  | { readonly action: 'create'; readonly draft: object; readonly parent: number | undefined }
  | {
      readonly action: 'update'
      readonly existing: AnyRecord
      readonly patch: AnyRecord
      readonly changes: readonly FieldChange[]
    }
  | { readonly action: 'unchanged' | 'skip'; readonly existing: AnyRecord }
  | { readonly action: 'reject'; readonly reasons: readonly string[] }
)

/** Names the fields that hold what a thing lies in, within which its name is its own. */
const PARENTS = ['group_id', 'breakdown_id']

const parentField = ({ fields }: Resource): string | undefined => PARENTS.find((name) => name in fields)

/** Returns the field by which a thing is found again: users by their address, others by their name. */
export const keyField = ({ fields }: Resource): string => ('email' in fields ? 'email' : 'name')

/** Returns the key of a thing, as names are compared; undefined where it has none. */
export const keyOf = (of: Resource, record: Readonly<Record<string, unknown>>): string | undefined => {
  const name = record[keyField(of)]
  const parent = parentField(of)
  const within = parent === undefined ? '' : `${String(record[parent])}/`
  return typeof name === 'string' && name.trim() !== '' ? within + looseName(name) : undefined
}

const reasonOf = ({ field, message }: Issue): string => `${field} ${message}`

/** Finds things that exist by id or key. */
type Existing = {
  readonly byId: ReadonlyMap<number, AnyRecord>
  readonly byKey: ReadonlyMap<string, readonly AnyRecord[]>
}

const indexExisting = (of: Resource, records: readonly AnyRecord[]): Existing => {
  const byKey = new Map<string, AnyRecord[]>()
  for (const record of records) {
    const key = keyOf(of, record)
    if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), record])
  }
  return { byId: new Map(records.map((record) => [Number(record['id']), record])), byKey }
}

/** Returns the thing that a row is about, nothing where it is new, or why neither is known. */
const findExisting = (
  of: Resource,
  { byId, byKey }: Existing,
  body: Readonly<Record<string, unknown>>,
): AnyRecord | Fault | undefined => {
  const { id } = body
  if (typeof id === 'string' || typeof id === 'number')
    return byId.get(Number(id)) ?? new Fault(`there is no ${of.title} ${id}`)
  const key = keyOf(of, body)
  const alike = (key === undefined ? undefined : byKey.get(key)) ?? []
  const exact = alike.filter((one) => one[keyField(of)] === body[keyField(of)])
  const [found, ...others] = exact.length > 0 ? exact : alike
  if (others.length === 0) return found
  const ids = [found, ...others].map((one) => String(one?.['id'])).join(', ')
  return new Fault(`there are several of that ${keyField(of)}: ${ids}; say which with a column id`)
}

/** Finds the id of a parent that is given by name; the other fields are found as for --from-json. */
const withParent = async (
  of: Resource,
  names: Names,
  body: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>> | Fault> => {
  const { group, group_id: id = group, ...others } = body
  if (parentField(of) !== 'group_id') return body
  if (typeof id !== 'string') return new Fault('is required: it says where the item lies')
  const found = await names.find('group', id)
  return found instanceof Fault ? found : { ...others, group_id: found.id }
}

/** Plans what is to be done for each row of a file, all of which is read. */
export const planRows = async (
  of: Resource,
  names: Names,
  rows: readonly WantedRow[],
  records: readonly AnyRecord[],
  onConflict: OnConflict,
): Promise<PlannedRow[]> => {
  const { createCompletion } = await import('../verbs/complete-body.ts')
  const existing = indexExisting(of, records)
  const completeNew = createCompletion(of, names, () => Promise.resolve(records))
  const completeOld = createCompletion(of, names)
  const lineOfKey = new Map<string, number>()

  const planNew = async (line: number, given: object, parent: number | undefined): Promise<PlannedRow> => {
    const { body, issues } = await completeNew(given)
    const { values, issues: others } = readDraft(of, body, true)
    const reasons = reasonsOf(issues, others)
    return reasons.length > 0 ? { line, action: 'reject', reasons } : { line, action: 'create', draft: values, parent }
  }
  const planOld = (line: number, found: AnyRecord, body: object, issues: readonly Issue[]): PlannedRow => {
    if (onConflict === 'skip') return { line, action: 'skip', existing: found }
    if (onConflict === 'error')
      return { line, action: 'reject', reasons: [`exists already: ${recordLabel(of, found)}`] }
    const { values, issues: others } = readPatch(of, body, true)
    const reasons = reasonsOf(issues, others)
    if (reasons.length > 0) return { line, action: 'reject', reasons }
    // What is found by its name keeps its spelling; a column id renames.
    const isKept = (field: string): boolean => field === keyField(of) && !('id' in body)
    const changes = Object.entries<FieldValue | undefined>(values).flatMap(([field, will]) => {
      const was = found[field] ?? null
      return will === undefined || will === was || isKept(field) ? [] : [{ field, was, will }]
    })
    const patch = Object.fromEntries(changes.map(({ field, will }) => [field, will]))
    return changes.length > 0
      ? { line, action: 'update', existing: found, patch, changes }
      : { line, action: 'unchanged', existing: found }
  }
  const planRow = async ({ line, body: given }: WantedRow): Promise<PlannedRow> => {
    const placed = await withParent(of, names, given)
    if (placed instanceof Fault) return { line, action: 'reject', reasons: [`group ${placed.message}`] }
    const { body, issues } = await completeOld(placed)
    const found = findExisting(of, existing, { ...body })
    if (found instanceof Fault) return { line, action: 'reject', reasons: [found.message] }
    const key = found ? `#${String(found['id'])}` : keyOf(of, { ...body })
    const before = key === undefined ? undefined : lineOfKey.get(key)
    if (before !== undefined)
      return {
        line,
        action: 'reject',
        reasons: [`${found ? `${of.title} ${String(found['id'])}` : keyField(of)} is on line ${before}, too`],
      }
    if (key !== undefined) lineOfKey.set(key, line)
    if (found) return planOld(line, found, body, issues)
    const parent = 'group_id' in placed ? Number(placed['group_id']) : undefined
    return planNew(line, placed, parent)
  }
  const planned: PlannedRow[] = []
  for (const row of rows) planned.push(await planRow(row))
  return planned
}

/** Returns what is wrong with a row, each field once. */
const reasonsOf = (first: readonly Issue[], others: readonly Issue[]): string[] => {
  const named = new Set(first.map(({ field }) => field))
  return [...first, ...others.filter(({ field }) => !named.has(field))].map(reasonOf)
}
