import { Fault, type Issue, MOST_FAULTS } from '../../../../domain/errors.ts'
import { type KindName, KIND_NAMES, kinds, sectionOf } from './kinds.ts'
import { faultAt } from '../../../../codec/yaml-reader.ts'
import type { Pause } from '../../../../domain/pause.ts'
import { isNoName } from '../../../../domain/no-value-words.ts'
import type { Item } from './read-file.ts'
import type { Thing, Things } from './things.ts'

/** Describes an item whose references are found, and the thing that it is about. */
export type Matched = {
  readonly item: Item
  readonly thing: Thing
  readonly references: Readonly<Record<string, Thing>>
}

/** Returns what a reference of an item means. A breakdown that has no items yet goes by its id, which is all there is. */
const referenceOf = (
  things: Things,
  refers: readonly KindName[],
  text: string,
  within: Thing | undefined,
  isByIdAlone: boolean,
): Thing | Fault => {
  const found = things.find(refers, text, within)
  if (!(found instanceof Fault) || !isByIdAlone || refers[0] !== 'group' || !/^[1-9]\d{0,14}$/.test(text)) return found
  const id = Number(text)
  return things.add({ kind: kinds.group, record: { id, name: text }, name: text, above: {}, item: undefined, id })
}

/** Returns the name that an item gives what it is about; empty where that has none. */
export const nameIn = ({ kind, values }: Item): string => {
  const own = kind.identity.find((name) => name === 'name' || name === 'email')
  return own === undefined ? '' : String(values[own])
}

const OTHER_KPIS: Readonly<Partial<Record<KindName, KindName>>> = {
  kpi: 'calculated_kpi',
  calculated_kpi: 'kpi',
}

/** Describes an item whose references are found, and by these what it is about belongs to. */
type ResolvedItem = Omit<Matched, 'thing'> & { readonly above: Thing['above'] }

const sameAs = (things: Things, { item, above }: ResolvedItem): readonly Thing[] =>
  things.same(item.kind, above, nameIn(item))

/**
 * Finds the thing that an item is about, or makes it. An exact name wins; otherwise it is what has a name of the same form
 * and is not named exactly by another item; a word for no value means only what has exactly that name.
 */
const thingOf = (things: Things, resolved: ResolvedItem, exact: ReadonlySet<Thing>): Thing | Fault => {
  const { item, above } = resolved
  const { kind } = item
  const name = nameIn(item)
  const same = sameAs(things, resolved)
  const isByForm = same.length === 0 && !isNoName(name, kind.name === 'kpi')
  const ofForm = isByForm ? things.alike(kind, above, name).filter((one) => one.record) : []
  const isBeside = ofForm.some((one) => exact.has(one))
  if (isBeside && ofForm.length > 1) {
    const names = ofForm.map((one) => `"${one.name}" (${one.id})`).join(', ')
    return new Fault(
      `"${name}" is another spelling of more than one ${kind.of.title}: ${names}; write the name of the one that is meant`,
    )
  }
  const alike = same.length > 0 ? same : isBeside ? [] : ofForm
  const existing = alike.filter(({ record, id }) => record && (item.id === undefined || id === item.id))
  if (item.id !== undefined && existing.length === 0)
    return new Fault(`there is no ${kind.of.title} ${item.id} named "${name}"; leave out the id to go by the name`)
  if (existing.length > 1) {
    const ids = existing.map(({ id }) => id).join(', ')
    return new Fault(
      `"${name}" is the name of more than one ${kind.of.title}: ${ids}; say which one, as id: ${existing[0]?.id}`,
    )
  }
  const thing = existing[0] ?? alike.find(({ record }) => !record)
  if (thing?.item) return new Fault(`this is the same ${kind.of.title} as in line ${thing.item.line}`)
  const other = OTHER_KPIS[kind.name]
  if (!thing && other && things.same(kinds[other], {}, name).some((one) => one.record && !one.item))
    return new Fault(
      `"${name}" ${other === 'calculated_kpi' ? 'is calculated' : 'is not calculated'}: it belongs under ${sectionOf(other)}`,
    )
  return thing ?? things.add({ kind, record: undefined, name, above, item: undefined, id: undefined })
}

/** Matches the items of a file with what there is, and with each other; collects what is wrong. */
export const matchItems = async (
  things: Things,
  items: readonly Item[],
  isByIdAlone: boolean,
  pause: Pause,
): Promise<{ readonly matched: readonly Matched[]; readonly faults: readonly Issue[] }> => {
  const [matched, faults]: [Matched[], Issue[]] = [[], []]
  const refuse = (item: Item, name: string, { message }: Fault): void => {
    faults.push(faultAt(item.lines[name] ?? item.line, message))
  }
  const resolve = (item: Item): ResolvedItem | undefined => {
    const references: Record<string, Thing> = {}
    for (const { name, refers } of item.kind.fields) {
      const text = item.references[name]
      if (!refers || text === undefined) continue
      const within = name === 'group_item' ? references['group'] : undefined
      const found = referenceOf(things, refers, text, within, isByIdAlone)
      if (found instanceof Fault) refuse(item, name, found)
      else references[name] = found
    }
    const identifying = item.kind.fields.flatMap(({ name, refers, isHint }) =>
      refers && !isHint && item.kind.identity.includes(name) ? [name] : [],
    )
    if (identifying.some((name) => !references[name])) return undefined
    const above = Object.fromEntries(
      identifying.flatMap((name) => (references[name] ? [[name, references[name]]] : [])),
    )
    return { item, references, above }
  }
  const match = (resolved: ResolvedItem, exact: ReadonlySet<Thing>): void => {
    const { item, references } = resolved
    const thing = thingOf(things, resolved, exact)
    if (thing instanceof Fault) return refuse(item, 'name', thing)
    thing.item = item
    matched.push({ item, thing, references })
  }
  const byKind = Map.groupBy(items, ({ kind }) => kind.name)
  for (const kind of KIND_NAMES) {
    const resolved: ResolvedItem[] = []
    for (const item of byKind.get(kind) ?? []) {
      const turn = pause()
      if (turn) await turn
      const found = faults.length < MOST_FAULTS ? resolve(item) : undefined
      if (found) resolved.push(found)
    }
    const exact = new Set(resolved.flatMap((one) => sameAs(things, one)))
    for (const one of resolved) {
      const turn = pause()
      if (turn) await turn
      if (faults.length < MOST_FAULTS) match(one, exact)
    }
  }
  return { matched, faults }
}
