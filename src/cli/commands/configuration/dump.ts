import type { Client } from '../../../client/client.ts'
import { isObject, type Json, recordToJson } from '../../../codec/json.ts'
import { Fault } from '../../../domain/errors.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import type { AnyRecord, Resource } from '../../../domain/schema.ts'
import { isId, type NamedKind } from '../../args/names.ts'
import { keyField } from '../import-definitions/plan.ts'
import { createNames, nameColumns, type Names } from '../verbs/reference-names.ts'
import { fieldsOf, ITEMS, type Section, SECTIONS } from './sections.ts'

type Item = Record<string, Json>

/** Returns how a file refers to something: by its name, or `#7` where the name would be read as something else. */
const referTo = async (names: Names, kind: NamedKind, id: number): Promise<string> => {
  const name = await names.nameOf(kind, id)
  if (isId(name) || /^[#']/.test(name) || name.trim() !== name) return `#${id}`
  const found = await names.find(kind, name)
  return !(found instanceof Fault) && found.id === id ? name : `#${id}`
}

const bodyOf = (of: Resource, record: AnyRecord): Readonly<Record<string, Json>> => {
  const json = recordToJson(of, record)
  return isObject(json) ? json : {}
}

/** Returns a record as an item of a file: without what is empty, and with names instead of ids. */
const itemOf = async (section: Section, record: AnyRecord, isAmbiguous: boolean, names: Names): Promise<Item> => {
  const body = bodyOf(section.of, record)
  const columns = new Map(nameColumns(section.of).map((column) => [column.name, column]))
  const item: Item = isAmbiguous ? { id: Number(record['id']) } : {}
  for (const field of fieldsOf(section)) {
    const column = columns.get(field)
    const value = body[column?.idField ?? field] ?? null
    if (value !== null) item[field] = column ? await referTo(names, column.kind, Number(value)) : value
  }
  return item
}

/** Returns the keys that several records have, which names alone do not tell apart. */
const repeatedKeys = (of: Resource, records: readonly AnyRecord[]): ReadonlySet<unknown> => {
  const seen = new Set<unknown>()
  return new Set(
    records
      .map((record) => [record['group_id'], record[keyField(of)]].join('/'))
      .filter((key) => seen.has(key) || !seen.add(key)),
  )
}

/** Returns all records of a section as items, by their ids. */
const itemsOf = async (
  client: Client,
  section: Section,
  names: Names,
): Promise<Map<number, { record: AnyRecord; item: Item }>> => {
  const all: readonly AnyRecord[] = await section.collection(client).list()
  // A formula is not among the fields of a KPI: without it, it would be another KPI.
  const records = all.filter((record) => record['is_calculated'] !== true)
  const repeated = repeatedKeys(section.of, records)
  const items = new Map<number, { record: AnyRecord; item: Item }>()
  for (const record of records) {
    const key = [record['group_id'], record[keyField(section.of)]].join('/')
    items.set(Number(record['id']), { record, item: await itemOf(section, record, repeated.has(key), names) })
  }
  return items
}

/** Returns the assignments of a user as items. */
const assignmentsOf = async (client: Client, user: number, names: Names): Promise<Item[]> => {
  const items: Item[] = []
  for (const one of await client.assignments(user).list()) {
    const { user_target: target, sort_order: place } = bodyOf(assignment, one)
    const kpi = await referTo(names, 'kpi', one.id)
    items.push({ kpi, ...(target !== null && target !== undefined && { user_target: target }), sort_order: place })
  }
  return items
}

const groupItemsOf = async (client: Client, user: number, names: Names): Promise<string[]> => {
  const links = await client.userGroupItems(user).list()
  return Promise.all(links.map(({ id }) => referTo(names, 'group_item', id)))
}

/** Returns an account as a configuration, of the sections that the service has; a plan of it is empty. */
export const dumpConfiguration = async (client: Client, has: (section: Section) => boolean): Promise<Json> => {
  const names = createNames(client)
  const configuration: Record<string, Json> = {}
  const items = new Map<string, Map<number, { record: AnyRecord; item: Item }>>()
  for (const section of SECTIONS.filter(has)) items.set(section.name, await itemsOf(client, section, names))
  for (const { record, item } of items.get(ITEMS)?.values() ?? []) {
    const group = items.get('groups')?.get(Number(record['group_id']))?.item
    if (group) group['items'] = [...(Array.isArray(group['items']) ? group['items'] : []), item]
  }
  for (const [user, { item }] of items.get('users') ?? []) {
    if (!items.has('groups')) break
    const [kpis, groupItems] = [await assignmentsOf(client, user, names), await groupItemsOf(client, user, names)]
    if (kpis.length > 0) item['kpis'] = kpis
    if (groupItems.length > 0) item['group_items'] = groupItems
  }
  for (const [name, all] of items) if (name !== ITEMS) configuration[name] = [...all.values()].map(({ item }) => item)
  return configuration
}
