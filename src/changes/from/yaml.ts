import { nearestOrAll } from '../../client/nearest.ts'
import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml'
import { createYamlReader, faultAt, textOf, type YamlReader } from '../../codec/yaml-reader.ts'
import { mayBeWritten } from '../../domain/numbers/written-number.ts'
import { parseDecimal } from '../../domain/decimal.ts'
import { Fault, type Issue } from '../../domain/errors.ts'
import { datedTarget } from '../../domain/resources/dated-target.ts'
import { checkDatedTargets, type DatedTarget } from '../../domain/targets/dated-targets.ts'
import { choiceOf, elsewhereIn, valueOfText } from '../../domain/field-value.ts'
import type { Pause } from '../../domain/pause.ts'
import type { Field, FieldValue } from '../../domain/schema.ts'
import type { Desired } from '../records/desired.ts'
import { type Kind, type KindField, needed, type Section, sections, wordOf } from '../records/kind-fields.ts'

/** Describes the content of a file, with all its faults. */
export type Configuration = {
  readonly desired: readonly Desired[]
  /** Lists the sections that it has, as it names them, with their lines. */
  readonly sections: ReadonlyMap<string, number>
  readonly faults: readonly Issue[]
}

/** Returns the value that a text means for a field; decimals must not have more digits than are kept. */
const readValue = (field: Field, text: string): FieldValue | Fault => {
  if (field.kind === 'decimal' && parseDecimal(text.trim())?.rounded)
    return Fault.must('have at most four digits after the decimal point')
  const value = valueOfText(field, choiceOf(field, text))
  return value instanceof Fault && field.words
    ? Fault.must(`be one of ${field.words.join(', ')}${elsewhereIn(field)}`)
    : value
}

const checkNull = (field: Field, value: FieldValue | Fault): FieldValue | Fault =>
  value === null && !field.nullable ? Fault.must('not be empty') : value

const ID = /^[1-9]\d{0,14}$/

const ONE_ONLY = 'a file holds one configuration, and here another one begins'

type Draft = {
  values: Record<string, FieldValue>
  references: Record<string, string>
  lines: Record<string, number>
  written?: Record<string, string>
}

const { from: FROM, target: TARGET } = datedTarget.fields

/** Reads one dated target of a list, and notes its faults; undefined where it has any. */
const readDated = (reader: YamlReader, node: unknown, line: number): DatedTarget | undefined => {
  const [map, at] = [reader.resolve(node), reader.lineOf(node, line)]
  if (!isMap(map)) {
    reader.faults.push(faultAt(at, 'a target must be fields with values: from: 2027-01-01, target: 130'))
    return undefined
  }
  const known = reader.faults.length
  const values = new Map<string, FieldValue>()
  for (const { name, line: of, node: value } of reader.pairsOf(map, at)) {
    const field = name === 'from' ? FROM : name === 'target' ? TARGET : undefined
    const text = textOf(value)
    const read =
      field && text !== undefined ? checkNull(field, text === null ? null : readValue(field, text)) : undefined
    if (!field)
      reader.faults.push(
        faultAt(of, `${name} is not a field of a dated target${nearestOrAll(name, ['from', 'target'])}`),
      )
    else if (read === undefined || read instanceof Fault)
      reader.faults.push(faultAt(of, sentence(name, read ?? Fault.must('be one value, not a list or a map'))))
    else values.set(name, read)
  }
  const [from, target] = [values.get('from'), values.get('target')]
  if (typeof from === 'number' && typeof target === 'bigint') return { from, target }
  if (reader.faults.length === known) reader.faults.push(faultAt(at, 'a dated target needs from and target'))
  return undefined
}

/** Reads a list of dated targets into its text; null for an empty one, undefined where it has faults. */
const readDatedList = (reader: YamlReader, node: unknown, line: number): FieldValue | Fault | undefined => {
  if (node === null || (isScalar(node) && node.value === null)) return null
  if (!isSeq(node)) return Fault.must('be a list: each of its targets begins with a dash, and has from and target')
  const list = node.items.map((one) => readDated(reader, one, line))
  const read = list.filter((one) => one !== undefined)
  return read.length === list.length ? checkDatedTargets(read) : undefined
}

/** Reads one field into the draft of an item; returns its fault. */
const readField = (
  reader: YamlReader,
  { name, field, refers }: KindField,
  node: unknown,
  line: number,
  draft: Draft,
): Fault | undefined => {
  if (field.kind === 'targets') {
    const list = readDatedList(reader, reader.resolve(node), line)
    if (list instanceof Fault) return list
    if (list !== undefined) draft.values[name] = list
    return undefined
  }
  const text = textOf(node)
  if (text === undefined) return Fault.must('be one value, not a list or a map')
  if (refers) {
    if (text === null || text.trim() === '') return Fault.must('not be empty')
    draft.references[name] = text.trim()
    return undefined
  }
  const value = checkNull(field, text === null ? null : readValue(field, text))
  if (value instanceof Fault) {
    const isPlain = text === null || parseDecimal(text.trim()) !== undefined
    if (field.kind !== 'decimal' || isPlain || !mayBeWritten(text)) return value
    draft.written = { ...draft.written, [name]: text }
    return undefined
  }
  draft.values[name] = value
  return undefined
}

/** Returns a fault as a sentence about a field. */
const sentence = (name: string, { message, verb }: Fault): string =>
  verb === undefined ? `${name}: ${message}` : `${name} ${message}`

/** Lists the fields that a configuration may hold: no secrets. */
const configuredFields = ({ fields }: Kind): KindField[] => fields.filter(({ field }) => !field.secret)

const readDesired = (reader: YamlReader, section: Section, map: YAMLMap, line: number): Desired => {
  const { faults, pairsOf } = reader
  const { kind } = section
  const fields = configuredFields(kind)
  const draft: Draft = { values: {}, references: {}, lines: {} }
  let id: number | undefined
  const spelled = (name: string): string => wordOf(section, name)
  for (const { name: written, line: at, node } of pairsOf(map, line)) {
    const config = fields.find(({ name }) => spelled(name) === written)
    draft.lines[config?.name ?? written] = at
    if (written === 'id') {
      const text = textOf(node) ?? ''
      if (ID.test(text)) id = Number(text)
      else faults.push(faultAt(at, 'id must be a whole number'))
    } else if (!config) {
      const names = fields.map(({ name }) => spelled(name))
      faults.push(faultAt(at, `${written} is not a field of a ${kind.of.title}${nearestOrAll(written, names)}`))
    } else {
      const fault = readField(reader, config, node, at, draft)
      if (fault) faults.push(faultAt(at, sentence(written, fault)))
    }
  }
  const missing = needed(kind).filter((name) => !(name in draft.lines))
  for (const name of missing) faults.push(faultAt(line, `${spelled(name)} is required`))
  return { kind, line, id, ...draft }
}

/** Tells whether an item has all that identifies it; others are left out, as they have a fault. */
const isWhole = ({ kind, values, references }: Desired): boolean =>
  needed(kind).every((name) => name in values || name in references)

/** Reads YAML, and knows which words are settings of the command line. */
type Reader = YamlReader & { readonly isSetting: (name: string) => boolean }

const readSection = (reader: Reader, name: string, node: unknown, line: number): Desired[] => {
  const section = sections.get(name)
  const { faults, lineOf, resolve, isSetting } = reader
  if (!section) {
    const message = isSetting(name)
      ? `${name} is a setting, and not a section: files of settings are no configurations; kpi dump prints one`
      : `there is no section ${name}${nearestOrAll(name, [...sections.keys()])}`
    faults.push(faultAt(line, message))
    return []
  }
  if (node === null || (isScalar(node) && node.value === null)) return []
  if (!isSeq(node)) {
    faults.push(faultAt(line, `${name} must be a list: each of its things begins with a dash`))
    return []
  }
  return node.items.flatMap((one) => {
    const [map, at] = [resolve(one), lineOf(one, line)]
    if (isMap(map)) return [readDesired(reader, section, map, at)]
    faults.push(faultAt(at, `a ${section.kind.of.title} must be fields with values, such as name: North`))
    return []
  })
}

/** Reads the sections of a part of a file, and notes their lines in `found`. */
const readSections = (reader: Reader, contents: unknown, found: Map<string, number>): Desired[] => {
  if (contents === null || (isScalar(contents) && contents.value === null)) return []
  if (!isMap(contents)) {
    reader.faults.push(faultAt(1, 'a configuration has sections, such as kpis:'))
    return []
  }
  return reader.pairsOf(contents, 1).flatMap(({ name, line, node }) => {
    if (sections.has(name)) found.set(name, line)
    return readSection(reader, name, node, line)
  })
}

/** Reads the YAML of a configuration; returns what it says, and its faults with their lines. */
export const readConfiguration = async (
  text: string,
  isSetting: Reader['isSetting'],
  pause: Pause,
): Promise<Configuration> => {
  const reader = { ...createYamlReader(text, ONE_ONLY, pause), isSetting }
  const { faults } = reader
  const found = new Map<string, number>()
  const desired: Desired[] = []
  for await (const contents of reader.parts(true))
    desired.push(...readSections(reader, contents, found).filter(isWhole))
  return { desired: reader.isYaml() ? desired : [], sections: found, faults }
}
