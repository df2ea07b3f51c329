import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { nearest } from '../../../client/directory.ts'
import { isObject, readJson } from '../../../codec/json.ts'
import { Fault, KpiError } from '../../../domain/errors.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import type { FieldValue } from '../../../domain/schema.ts'
import { parseYaml, type YamlLines } from '../../../codec/yaml.ts'
import { fileError } from '../../../import/parse/files.ts'
import { readStdin } from '../../args/deadline.ts'
import type { Cli } from '../../cli.ts'
import type { WantedRow } from '../import-definitions/plan.ts'
import { fieldsOf, ITEMS, SECTIONS } from './sections.ts'

/** Describes the assignment of a KPI that a user is to have. */
type WantedAssignment = {
  readonly line: number
  readonly kpi: string
  readonly target: bigint | undefined
  readonly place: number | undefined
}

/** Describes what a user is to be linked to. */
export type WantedLinks = {
  readonly line: number
  readonly email: string
  readonly assignments: readonly WantedAssignment[]
  readonly groupItems: readonly string[]
}

/** Describes a configuration: what is wanted in each section, and the links of users. */
export type Configuration = {
  readonly name: string
  readonly text: string
  readonly rows: ReadonlyMap<string, readonly WantedRow[]>
  readonly links: readonly WantedLinks[]
}

type Item = Readonly<Record<string, unknown>>

/** Collects what is wrong with a file, each fault with its line. */
type Faults = (line: number, message: string) => void

const hint = (name: string, names: readonly string[]): string => {
  const near = nearest(name, names)
  return near === undefined ? `there are ${names.join(', ')}` : `did you mean ${near}?`
}

/** Returns the items of a list, each with its line; a text stands for an item with that name. */
const itemsIn = (
  value: unknown,
  path: readonly (string | number)[],
  lines: YamlLines,
  fault: Faults,
): { line: number; item: Item }[] => {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) {
    fault(lines.lineOf(path), `${String(path.at(-1))} must be a list`)
    return []
  }
  return value.flatMap((one: unknown, at) => {
    const line = lines.lineOf([...path, at])
    if (typeof one === 'string') return [{ line, item: { name: one } }]
    if (isObject(one)) return [{ line, item: one }]
    fault(line, 'must be a name, or have fields')
    return []
  })
}

const refuseUnknown = (item: Item, known: readonly string[], line: number, fault: Faults): void => {
  for (const name of Object.keys(item)) {
    if (!known.includes(name)) fault(line, `${name} is no field there; ${hint(name, known)}`)
  }
}

const LINK_FIELDS = ['kpi', 'name', 'user_target', 'sort_order']

/** Returns a name or a number as the text by which something is found. */
const nameText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

/** Reads the assignment of a KPI to a user. */
const assignmentOf = (link: Item, line: number, fault: Faults): WantedAssignment => {
  refuseUnknown(link, LINK_FIELDS, line, fault)
  const kpi = nameText(link['kpi'] ?? link['name'])
  if (kpi === '') fault(line, 'kpi is required: it says which KPI is assigned')
  const read = <T>(
    name: 'user_target' | 'sort_order',
    isOf: (value: FieldValue) => value is FieldValue & T,
  ): T | undefined => {
    const value = readJson(assignment.fields[name], link[name] ?? null, false)
    if (value instanceof Fault) fault(line, `${name} ${value.message}`)
    return !(value instanceof Fault) && isOf(value) ? value : undefined
  }
  const target = read('user_target', (value) => typeof value === 'bigint')
  return { line, kpi, target, place: read('sort_order', (value) => typeof value === 'number') }
}

/** Reads what a user is linked to. */
const linksOf = (
  item: Item,
  line: number,
  path: readonly (string | number)[],
  lines: YamlLines,
  fault: Faults,
): WantedLinks => {
  const below = (name: string): { line: number; item: Item }[] => itemsIn(item[name], [...path, name], lines, fault)
  return {
    line,
    email: nameText(item['email']),
    assignments: below('kpis').map((one) => assignmentOf(one.item, one.line, fault)),
    groupItems: below('group_items').map((one) => nameText(one.item['name'])),
  }
}

/** Reads what a text says; throws one error with all that is wrong, by line. */
const parseConfiguration = (name: string, text: string): Configuration => {
  const faults: { line: number; message: string }[] = []
  const fault: Faults = (line, message) => void faults.push({ line, message })
  const { value, errors, lines } = parseYaml(text)
  for (const { line, message } of errors) fault(line, message)
  const rows = new Map<string, WantedRow[]>(SECTIONS.map((section) => [section.name, []]))
  const links: WantedLinks[] = []
  const whole: Item = isObject(value) ? value : {}
  const names = SECTIONS.map((section) => section.name).filter((one) => one !== ITEMS)
  if (errors.length === 0 && !isObject(value)) fault(1, `must have the sections ${names.join(', ')}`)
  for (const key of Object.keys(whole))
    if (!names.includes(key)) fault(lines.lineOf([key]), `there is no section ${key}; ${hint(key, names)}`)
  const addItem = (section: string, item: Item, line: number, known: readonly string[]): void => {
    refuseUnknown(item, known, line, fault)
    rows
      .get(section)
      ?.push({ line, body: Object.fromEntries(Object.entries(item).filter(([field]) => !LISTS.has(field))) })
  }
  for (const section of SECTIONS.filter((one) => one.name !== ITEMS)) {
    const known = ['id', ...fieldsOf(section), ...section.lists]
    for (const [at, { line, item }] of itemsIn(whole[section.name], [section.name], lines, fault).entries()) {
      addItem(section.name, item, line, known)
      const path = [section.name, at]
      if (section.name === 'users') links.push(linksOf(item, line, path, lines, fault))
      for (const { line: own, item: one } of itemsIn(
        section.name === 'groups' ? item['items'] : undefined,
        [...path, 'items'],
        lines,
        fault,
      ))
        addItem(ITEMS, { group: groupOf(item), ...one }, own, ['id', 'group', 'name', 'sort_order'])
    }
  }
  const issues = faults.toSorted((one, other) => one.line - other.line)
  if (issues.length > 0)
    throw new KpiError('malformed', `${name} is no configuration`, {
      issues: issues.map(({ line, message }) => ({ field: `line ${line}`, message })),
    })
  return { name, text, rows, links }
}

/** Lists what stands in items and is no field of theirs. */
const LISTS: ReadonlySet<string> = new Set(SECTIONS.flatMap(({ lists }) => lists))

/** Returns how an item's group is found: by its id where it has one, as several may have its name. */
const groupOf = ({ id, name }: Item): string => (typeof id === 'number' ? `#${id}` : String(name))

/** Reads a configuration from a file, or `-` for standard input. */
export const readConfiguration = async (cli: Cli, path: string): Promise<Configuration> => {
  if (path === '-') return parseConfiguration('standard input', await readStdin(cli.io, cli.flags.deadline))
  try {
    return parseConfiguration(path, readFileSync(resolve(cli.io.cwd, path), 'utf8'))
  } catch (error) {
    throw error instanceof KpiError ? error : fileError(error, 'read', path)
  }
}
