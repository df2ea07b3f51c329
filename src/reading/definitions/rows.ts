import { TARGET_BASE } from '../../changes/records/base-targets.ts'
import { didYouMean } from '../../client/nearest.ts'
import { parseExactJson } from '../../codec/json-number.ts'
import { readJson } from '../../codec/json.ts'
import { looseName } from '../../domain/name-form.ts'
import { readSnapshot } from '../../changes/records/access.ts'
import { type Desired, desiredName } from '../../changes/records/desired.ts'
import type { KindName } from '../../changes/records/kind-fields.ts'
import type { Snapshot } from '../../changes/records/snapshot.ts'
import { readCalendar } from '../../client/operations/calendar.ts'
import { createDirectory, type Directory, type Named } from '../../client/directory.ts'
import type { Day } from '../../domain/day.ts'
import { Fault, KpiError } from '../../domain/errors.ts'
import { checkText, choiceOf, elsewhereIn, valueOfText } from '../../domain/field-value.ts'
import { type Calendar, CIVIL_CALENDAR } from '../../domain/period.ts'
import { fullName, user } from '../../domain/resources/user.ts'
import { addressFinder } from '../directory/missing.ts'
import { type AnyRecord, asRecord, type Field, type FieldValue } from '../../domain/schema.ts'
import type { DatedChange } from '../../domain/targets/dated-targets.ts'
import type { Sample } from '../columns/contents.ts'
import { foldName, requireClear } from '../columns/header.ts'
import {
  findGroupColumns,
  type GroupColumn,
  GroupItems,
  asGroupRole,
  type ItemCell,
  itemCells,
} from '../group-items/columns.ts'
import { isFromName, readTargetDay } from '../columns/target-days.ts'
import { createNameColumn, type NameColumn } from '../columns/name-column.ts'
import { joinName, nameBeside, type PersonName, splitName } from '../../domain/person-name.ts'
import { asOwnList, type ReadingFile, type RefusedRow } from '../entries/desired-rows.ts'
import { doubtsOf, requireNoDoubts } from '../detect/column-formats.ts'
import { createNumberColumn, type NumberColumn } from '../detect/number-column.ts'
import { type GivenUnit, NumberWords } from '../formats/number-words.ts'
import { type Measure, measureOf, type MeasuringUnit, measuringUnit } from '../../domain/numbers/measure.ts'
import { createUnitRow, createUnits, tableUnitOf } from '../detect/units.ts'
import { unitRowOf } from '../heading/left-out-rows.ts'
import { faultOfSurplus, requireHeader, type Row, rowsBelowHeader, sampleOf } from '../../tabular/source/table.ts'
import { kpi } from '../../domain/resources/kpi.ts'
import type { Lookup } from '../directory/lookup.ts'
import { meantBoolean } from '../formats/truth-words.ts'
import { choiceNearest, meantChoice } from './choice-words.ts'
import {
  type DefinitionKind,
  type DefinitionOptions,
  type DefinitionPlan,
  fieldOf,
  hasDatedTargets,
  mayGiveItems,
  planDefinitions,
} from './columns.ts'
import { MissingNames, type NewName } from './missing-names.ts'
import { datedRole, type DefinitionRole, FROM, FULL_NAME, PERSON, rolesOf } from './roles.ts'

const ID = /^#?([1-9]\d{0,14})$/

/** Creates a lookup that takes any id, unchecked, as the interface does not list what they are of, and names if some are known. */
const anyId = (what: string, known: Lookup | undefined): Lookup => ({
  byId: known?.byId ?? new Map(),
  unread: what,
  find: (text) => {
    const [, id] = ID.exec(text.trim()) ?? []
    if (id !== undefined) return { id: Number(id), name: text }
    return known?.find(text) ?? new Fault(`${what} are given by id here; "${text}" is none`)
  },
})

const asDecimal = (value: FieldValue | undefined): bigint | null => (typeof value === 'bigint' ? value : null)

const booleanIn = (text: string): boolean | Fault => meantBoolean(text) ?? Fault.must('be true or false, or yes or no')

/** Returns the value of a choice, by one of its words in any language of the heads. */
const choiceIn = ({ name, field }: DefinitionRole, text: string): FieldValue | Fault => {
  const value = valueOfText(field, meantChoice(name, text) ?? choiceOf(field, text))
  if (!(value instanceof Fault)) return value
  const near = choiceNearest(name, field, text)
  const words = field.words ? `, or ${field.words.join(', ')}` : ''
  return Fault.must(`be one of ${field.oneOf?.join(', ')}${words}${didYouMean(near, elsewhereIn(field))}`)
}

/** Returns dated targets of a cell that holds the list of a record in JSON; undefined for any other text. */
const targetsInJson = (field: Field, text: string): FieldValue | Fault | undefined => {
  if (field.kind !== 'targets' || !text.startsWith('[')) return undefined
  try {
    return readJson(field, parseExactJson(text), true)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Returns the value of a cell that is neither a number with decimals nor a reference. */
const plainValue = (role: DefinitionRole, text: string): FieldValue | Fault => {
  const targets = targetsInJson(role.field, text)
  if (targets !== undefined) return targets
  if (role.field.kind === 'boolean') return booleanIn(text)
  return role.field.oneOf ? choiceIn(role, text) : valueOfText(role.field, text)
}

/** Returns why a number pattern is not what a cell holds: a workbook may have made a number of `0.00 €`, which looks the same. */
const patternAsText = ({ field }: DefinitionRole, stored: string | undefined): Fault | undefined =>
  stored !== undefined && field.form?.says.startsWith('a number pattern')
    ? new Fault(
        "is a number in the workbook, and its pattern is lost: make the cell text, and type it again, such as '0.00 €",
      )
    : undefined

/** Describes a value that was read, and whether decimals beyond the fourth were rounded away. */
type ReadValue = { readonly value: FieldValue; readonly isRounded: boolean }

const exact = (value: FieldValue | Fault): ReadValue | Fault =>
  value instanceof Fault ? value : { value, isRounded: false }

/**
 * Reads the cells of a role, or records what they show; `stored` is the currency of a cell that is a number, and `measured` the
 * key of what the record of its row measures.
 */
type CellReader = {
  readonly note?: (text: string, line: number, stored: string | undefined, measured: number | undefined) => void
  readonly read: (
    text: string,
    line: number,
    stored: string | undefined,
    measured: number | undefined,
  ) => ReadValue | Fault
}

/** Returns a fault as a sentence about a role, or about a flag that stands for its column. */
const faultOfRole = (role: string, text: string, { message, verb }: Fault): string =>
  verb === 'must' || verb === 'is' ? `${role} "${text}" ${message}` : `${role}: ${message}`

/** Describes a definition that a row gives. */
export type DefinitionRow = {
  readonly desired: Desired
  /** Lists the group items that the row gives a person. */
  readonly items: readonly ItemCell[]
  /** Lists what the row names that is to be created. */
  readonly created: readonly NewName[]
  /** Holds the text by which two rows are the same. */
  readonly identity: string
  /** Counts the numbers that had more than four decimals. */
  readonly rounded: number
}

/** Describes what reading a file of definitions needs. */
export type ReadingDefinitions = ReadingFile & { readonly kind: DefinitionKind; readonly options: DefinitionOptions }

/** Holds what says how rows are read: what their columns mean, and what they may refer to, by role. */
type Reading = Pick<ReadingDefinitions, 'kind' | 'options'> & {
  readonly plan: DefinitionPlan
  readonly calendar: Calendar
  readonly missingNames: MissingNames
  readonly groups: readonly GroupColumn[]
  readonly groupItems: GroupItems
  readonly measures: Measures
  /** Returns the address of a person whose row has none, if there is a pattern for it. */
  readonly addressOf: ((name: PersonName) => string | Fault) | undefined
  /** Holds the row of units below the header. */
  readonly unitRow: Row | undefined
  /** Holds the unit that a title gives all numbers. */
  readonly tableUnit: GivenUnit | undefined
}

/** Reads the rows of a file, in the decimal signs that are known, else with points. */
class DefinitionReader {
  readonly roles: readonly DefinitionRole[]
  readonly #reading: Reading
  readonly #numbers = new Map<string, NumberColumn>()
  readonly #words: NumberWords
  readonly #names: NameColumn[] = []
  readonly #cells: ReadonlyMap<DefinitionRole, CellReader>

  constructor(reading: Reading, signs: ReadonlyMap<string, '.' | ','> = new Map()) {
    this.#reading = reading
    const { kind, plan } = reading
    this.#words = new NumberWords(reading.options.scale, true, reading.measures.measure)
    const dated = [...plan.dated.keys()].map((heading) => datedRole(heading, kind.of))
    this.roles = [...rolesOf(kind), ...(plan.places.has(FROM.role) ? [FROM] : []), ...dated]
    this.#cells = new Map(this.roles.map((one) => [one, this.#cellsOf(one, signs.get(one.role))]))
  }

  #cellsOf(one: DefinitionRole, sign: '.' | ',' = '.'): CellReader {
    const { role, name, field } = one
    const { missingNames, options, plan } = this.#reading
    const at = plan.places.get(role) ?? -1
    const header = plan.header[at]?.trim() ?? `--${role}`
    const lookup = missingNames.lookups.get(role)
    if (field.kind === 'decimal') {
      const { decimal } = options
      const units = createUnits().watch(role)
      const ofColumn = { words: this.#words, isTarget: true }
      const column = createNumberColumn(header, decimal ?? sign, decimal !== undefined, units, ofColumn)
      this.#numbers.set(role, column)
      const { unitRow, tableUnit } = this.#reading
      const own = (unitRow && createUnitRow(unitRow).unitIn([], at)) ?? tableUnit
      return {
        note: (text, line, stored, measured) => column.note(text, line, measured, stored, own),
        read: (text, line, stored, measured) => {
          const cell = column.read(text, line, measured, stored, own)
          return cell instanceof Fault ? cell : { value: cell.value, isRounded: cell.rounded }
        },
      }
    }
    if (!lookup) return { read: (text, _, stored) => exact(patternAsText(one, stored) ?? plainValue(one, text)) }
    const as = options.numbersAs?.get(role) ?? (foldName(header) === foldName(name) ? 'ids' : undefined)
    const column = createNameColumn({ role, header, as }, lookup)
    this.#names.push(column)
    return {
      note: (text) => void column.find(text),
      read: (text) => {
        const found = column.find(text)
        return exact(found instanceof Fault ? found : found.id)
      },
    }
  }

  /** Returns the text of a role in a row, without the spaces around it. */
  #textOf({ role }: DefinitionRole, { cells }: Row): string {
    const { plan, options } = this.#reading
    return (cells[plan.places.get(role) ?? -1] ?? options.constants.get(role) ?? '').trim()
  }

  #storedIn({ role }: DefinitionRole, { numbers }: Row): string | undefined {
    return numbers?.[this.#reading.plan.places.get(role) ?? -1]
  }

  /** Returns the key of what the record of a row measures, for a role whose cells are numbers of it. */
  #measuredBy({ field }: DefinitionRole, row: Row): number | undefined {
    if (field.kind !== 'decimal') return undefined
    const [name, unit] = [this.#reading.kind.key, 'unit'].map((role) => {
      const one = this.roles.find((other) => other.role === role)
      return one ? this.#textOf(one, row) : ''
    })
    return this.#reading.measures.keyOf(name ?? '', unit ?? '')
  }

  /** Returns the value of a role in a row, or why it cannot be read; undefined if the cell is empty. */
  #read(one: DefinitionRole, row: Row): ReadValue | Fault | undefined {
    const text = this.#textOf(one, row)
    return text === ''
      ? undefined
      : this.#cells.get(one)?.read(text, row.line, this.#storedIn(one, row), this.#measuredBy(one, row))
  }

  /** Lets columns record what a row shows of how they are written. */
  note(row: Row): void {
    for (const one of this.roles) {
      const text = this.#textOf(one, row)
      if (text !== '')
        this.#cells.get(one)?.note?.(text, row.line, this.#storedIn(one, row), this.#measuredBy(one, row))
    }
  }

  /** Returns the reader in the formats that were recorded; throws where these can be read in two ways. */
  settled(): DefinitionReader {
    requireNoDoubts(doubtsOf([...this.#names, ...this.#numbers.values()]))
    const proven = [...this.#numbers].map(([role, column]) => [role, column.proven() ?? '.'] as const)
    return new DefinitionReader(this.#reading, new Map(proven))
  }

  /** Tells whether rows may give group items. */
  get mayGiveItems(): boolean {
    return mayGiveItems(this.#reading.kind)
  }

  /** Tells whether texts can be values of a role. */
  takes({ role }: DefinitionRole, texts: readonly string[]): boolean {
    const one = this.roles.find((own) => own.role === role)
    if (!one) return false
    const isOfPerson = one === PERSON || one.name === 'first_name' || one.name === 'last_name'
    if (isOfPerson) return texts.every((text) => !/[@\p{Nd}]/u.test(text))
    const { missingNames } = this.#reading
    return texts.every((text) => {
      const read = this.#cells.get(one)?.read(text, 0, undefined, undefined)
      return !(read instanceof Fault) && !(read && missingNames.newIn(role, Number(read.value), 0))
    })
  }

  /** Returns remarks on how numbers are written, though all of them can be read. */
  remarks(): string[] {
    return [...this.#numbers.values()].flatMap((column) => column.remarks())
  }

  /** Refuses flags for all rows that cannot be read, before any row is. */
  requireConstants(): void {
    const { constants } = this.#reading.options
    const faults = this.roles.flatMap((one) => {
      const [text, value] = [constants.get(one.role), this.#read(one, { line: 0, cells: [] })]
      return text !== undefined && value instanceof Fault ? [`--${faultOfRole(one.role, text, value)}`] : []
    })
    if (faults.length > 0) throw new KpiError('malformed', faults.join('; '))
  }

  /** Returns the roles of some fields, as far as there are any. */
  #named(...names: readonly (string | undefined)[]): DefinitionRole[] {
    return names.flatMap((name) => this.roles.find((one) => one.name === name) ?? [])
  }

  /** Returns the name or e-mail address that a row gives, as it is written; undefined if there is none. */
  nameOf(row: Row): string | undefined {
    const names = this.#named(this.#reading.kind.key, FULL_NAME, 'first_name')
    return names.map((one) => this.#textOf(one, row)).find((text) => text !== '')
  }

  /** Returns the first and the last name of a person, or what is wrong with them; `last` is what another column says. */
  #partsOf(text: string, last: string): [name: string, value: FieldValue | Fault, text: string][] {
    const { fields } = this.#reading.kind.of
    return Object.entries(last === '' ? splitName(text) : nameBeside(text, last)).map(([name, given]) => {
      const [field, part] = [fields[name], given ?? '']
      return [name, field ? checkText(field, part) : null, part]
    })
  }

  /** Returns what should be there as the fields of a row say it. */
  #desiredOf(line: number, given: AnyRecord, dated: readonly DatedChange[]): Desired {
    const { kind, missingNames } = this.#reading
    const [values, references]: [Record<string, FieldValue>, Record<string, string>] = [{}, {}]
    for (const [name, value] of Object.entries(given)) {
      const field = fieldOf(kind, name)
      // Pass the base on: the plan settles which target it stands for.
      if (name === TARGET_BASE && value !== undefined) values[name] = value
      else if (field?.refers && value !== null)
        references[field.name] = missingNames.referenceTo(field.name, Number(value))
      else if (field && value !== undefined) values[field.name] = value
    }
    return { kind: kind.kind, line, values, references, ...(dated.length > 0 && { datedTargets: dated }) }
  }

  /** Returns the address of a person whose row gives a name alone, or why there is none; undefined where nobody asks for it. */
  #addressIn(values: Readonly<Record<string, FieldValue>>): string | Fault | undefined {
    const { first_name: first, last_name: last, email } = values
    if (email !== undefined || typeof first !== 'string') return undefined
    return this.#reading.addressOf?.({ first_name: first, last_name: typeof last === 'string' ? last : null })
  }

  /** Reads a row, or returns all that is wrong with it. */
  readRow(row: Row): DefinitionRow | RefusedRow {
    const { kind, plan, options, calendar, missingNames } = this.#reading
    const surplus = faultOfSurplus(row.cells, plan.header)
    if (surplus !== undefined) return { reasons: [surplus], isMisread: true }
    const [values, reasons]: [Record<string, FieldValue>, string[]] = [{}, []]
    const dated: DatedChange[] = []
    let from: Day | undefined
    const created: NewName[] = []
    let rounded = 0
    // Count faults of names: one that nothing has does not show that its column was misread.
    let ofNames = 0
    const take = (name: string, value: FieldValue | Fault, text: string): void => {
      if (value instanceof Fault) reasons.push(faultOfRole(name, text, value))
      else values[name] = value
    }
    for (const one of this.roles) {
      const { role, name, field } = one
      const read = this.#read(one, row)
      const day = plan.dated.get(role)
      if (read instanceof Fault) {
        take(role, read, this.#textOf(one, row))
        ofNames += Number(missingNames.lookups.has(role))
      } else if (day !== undefined) {
        if (read !== undefined || options.clearEmpty) dated.push({ from: day, target: asDecimal(read?.value) })
        rounded += Number(read?.isRounded ?? false)
      } else if (one === FROM && read !== undefined) {
        const first = readTargetDay(String(read.value), calendar)
        if (first instanceof Fault)
          reasons.push(
            `${plan.header[plan.places.get(role) ?? -1]?.trim() ?? role} "${String(read.value)}" ${first.message}`,
          )
        else from = first
      } else if (read === undefined) {
        if (options.clearEmpty && field.nullable && !field.secret && plan.places.has(role)) values[name] = null
      } else if (one === PERSON) {
        const last = this.#named('last_name').map((other) => this.#textOf(other, row))
        for (const part of this.#partsOf(String(read.value), last.join(''))) take(...part)
      } else {
        values[name] = read.value
        const place = plan.places.get(role) ?? plan.header.length
        created.push(...[missingNames.newIn(role, Number(read.value), place) ?? []].flat())
        rounded += Number(read.isRounded)
      }
    }
    const { first_name: first, last_name: last } = values
    if (typeof first === 'string' && typeof last === 'string') Object.assign(values, joinName(first, last))
    const address = reasons.length > 0 ? undefined : this.#addressIn(values)
    if (address instanceof Fault) {
      reasons.push(address.message)
      ofNames += 1
    } else if (address !== undefined) values['email'] = address
    const items: ItemCell[] = []
    for (const { at, header, group } of this.#reading.groups) {
      const text = row.cells[at]?.trim() ?? ''
      const given = text === '' ? [] : this.#reading.groupItems.list(text, group)
      if (given instanceof Fault) {
        reasons.push(`${header}: ${given.message}`)
        ofNames += 1
      } else items.push(...itemCells(given, at, plan.header.length))
    }
    for (const one of this.#named(kind.key, kind.within))
      if (this.#textOf(one, row) === '' && (one.name !== 'email' || address === undefined))
        reasons.push(`the ${one.role} is empty`)
    // Beside dated targets, an empty base is none.
    if (plan.places.has(TARGET_BASE) && (values['targets'] ?? null) !== null) values[TARGET_BASE] ??= null
    if (from !== undefined && 'target_default' in values) {
      dated.push({ from, target: asDecimal(values['target_default']) })
      Reflect.deleteProperty(values, 'target_default')
    }
    if (reasons.length > 0) return { reasons, isMisread: reasons.length > ofNames }
    const desired = this.#desiredOf(row.line, values, dated)
    const parent = Number(values[kind.within ?? ''] ?? 0)
    const day = from === undefined ? '' : `/${from}`
    return { desired, items, created, identity: `${parent}/${looseName(desiredName(desired))}${day}`, rounded }
  }
}

const directoryOf = (role: string, snapshot: Snapshot, kinds: readonly KindName[]): Directory<Named> =>
  createDirectory(
    role,
    kinds.flatMap((kind) => snapshot.ofKind(kind).map(({ id = 0, name }) => ({ id, name }))),
  )

/** Returns what rows may refer to. The newer interface does not list what breakdowns there are. */
const lookupsIn = (snapshot: Snapshot, { kind, account }: ReadingDefinitions): MissingNames['lookups'] =>
  new Map(
    rolesOf(kind).flatMap(({ role, name }) => {
      const { refers } = fieldOf(kind, name) ?? {}
      if (!refers) return []
      const isListed = name !== 'breakdown_id' || account.classic !== undefined
      const known = isListed ? directoryOf(role, snapshot, refers) : undefined
      return [[role, known && name !== 'breakdown_id' ? known : anyId('breakdowns', known)] as const]
    }),
  )

/** Knows what records measure: those of a file have keys, as the service may not have them yet. */
type Measures = {
  /** Returns the key of a record with a name and the text of a unit; an empty one leaves the unit that it has. */
  readonly keyOf: (name: string, unit: string) => number
  readonly measure: (key: number | undefined) => Measure | undefined
}

/** Returns what KPIs measure by the units of an account. */
const measuresIn = (snapshot: Snapshot, missingNames: MissingNames): Measures => {
  const keys = new Map<string, number>()
  const all: Measure[] = []
  const units = snapshot.ofKind('unit')
  const kpis = new Map(snapshot.ofKind('kpi').map((one) => [looseName(one.name), one] as const))
  const usual = units.find(({ name }) => name === kpi.fields.unit_id.usual)
  const unitOf = (name: string, text: string): MeasuringUnit | undefined => {
    const given = text === '' ? undefined : missingNames.unitOf(text)
    if (given) return given
    const stored = kpis.get(looseName(name))
    const unit = units.find(({ id }) => id === (stored ? stored.stored?.['unit_id'] : usual?.id))
    return unit?.stored && measuringUnit(unit.stored)
  }
  return {
    keyOf: (name, unit) => {
      const text = JSON.stringify([name, unit])
      const key = keys.get(text) ?? keys.size
      if (key === keys.size) {
        keys.set(text, key)
        all.push(measureOf(name, unitOf(name, unit)))
      }
      return key
    },
    measure: (key) => all[key ?? -1],
  }
}

/** Returns what finds the addresses of people by their names, where a pattern makes those of new ones. */
const addressOfNames = (
  { emailPattern }: DefinitionOptions,
  snapshot: Snapshot,
): ((name: PersonName) => string | Fault) | undefined => {
  if (emailPattern === undefined) return undefined
  const people = snapshot.ofKind('user').flatMap(({ stored }) => {
    const one = stored && asRecord(user, stored)
    return one ? [{ ...one, name: fullName(one) }] : []
  })
  return addressFinder(people, emailPattern)
}

/** Describes how a file is read, and the account as it was read. */
export type Begun = {
  readonly plan: DefinitionPlan
  /** Holds the cells of the first rows. */
  readonly sample: Sample
  readonly reader: DefinitionReader
  /** Lists the columns of groups, and holds what their cells name. */
  readonly groups: readonly GroupColumn[]
  readonly groupItems: GroupItems
  readonly missingNames: MissingNames
  readonly snapshot: Snapshot
  /** Reads the account again. */
  readonly look: () => Promise<Snapshot>
}

/** Finds out what the columns mean, and from all rows how their cells are written. */
export const beginReading = async (work: ReadingDefinitions): Promise<Begun> => {
  const { kind, account, table, onProgress } = work
  const header = await requireHeader(table)
  const brief = kind.of.brief.map(({ name }) => name)
  const options = asOwnList(work.options, header, table, brief)
  const sample = await sampleOf(table)
  // Ask when years begin only where a column or a cell may name one.
  const isDated = hasDatedTargets(kind) && planDefinitions(header, kind, options, sample).dated.size > 0
  const mayBe = isDated || (hasDatedTargets(kind) && header.some(isFromName))
  const calendar = mayBe ? await readCalendar(account.client) : CIVIL_CALENDAR
  const plan = planDefinitions(header, kind, options, sample, calendar)
  const mayHaveGroups =
    mayGiveItems(kind) &&
    (plan.unused.length > 0 || [...plan.places.keys()].some((role) => asGroupRole(role) !== undefined))
  const kindsRead: readonly KindName[] = mayHaveGroups ? [kind.kind.name, 'group_item'] : [kind.kind.name]
  const look = (): Promise<Snapshot> => readSnapshot(account, kindsRead)
  const snapshot = await look()
  const createMissing = options.createMissing === true
  const { columns: groups, issues } = mayHaveGroups
    ? findGroupColumns(plan.found, snapshot, createMissing)
    : { columns: [], issues: [] }
  requireClear(issues)
  const groupItems = new GroupItems(snapshot, { createMissing, isMeant: options.numbersAs?.has('group_item') === true })
  const lookups = lookupsIn(snapshot, work)
  const missingNames = new MissingNames(snapshot, lookups, options)
  const measures = measuresIn(snapshot, missingNames)
  const seen = new DefinitionReader({
    kind,
    options,
    plan,
    calendar,
    missingNames,
    groups,
    groupItems,
    measures,
    addressOf: addressOfNames(options, snapshot),
    unitRow: unitRowOf(table, options),
    tableUnit: tableUnitOf(table),
  })
  for await (const row of rowsBelowHeader(table, onProgress)) if (row.cells.length <= header.length) seen.note(row)
  const reader = seen.settled()
  reader.requireConstants()
  return { plan, sample, reader, groups, groupItems, missingNames, snapshot, look }
}
