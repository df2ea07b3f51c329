import { faultAt } from '../../codec/yaml-reader.ts'
import { Fault, type Issue } from '../../domain/errors.ts'
import { looseName } from '../../domain/name-form.ts'
import { type Measure, measureOf, type MeasuringUnit, measuringUnit } from '../../domain/numbers/measure.ts'
import { kpi } from '../../domain/resources/kpi.ts'
import { readWrittenNumber } from '../../domain/numbers/written-number.ts'
import type { FieldValue } from '../../domain/schema.ts'
import { type Desired, desiredName } from '../records/desired.ts'
import type { AccountRecord, Snapshot } from '../records/snapshot.ts'
import type { KindName } from '../records/kind-fields.ts'

/** Describes what numbers with units and scales were read as. */
type ReadNumbers = {
  readonly desired: readonly Desired[]
  readonly faults: readonly Issue[]
  /** Says how each was read. */
  readonly notes: readonly string[]
}

/** Returns what the values of the KPIs of a configuration are, by the units that it and the account give them. */
const measuresIn = (all: readonly Desired[], snapshot: Snapshot): ((one: Desired) => Measure) => {
  const byName = (kind: KindName): Map<string, Desired> =>
    new Map(all.filter((one) => one.kind.name === kind).map((one) => [looseName(desiredName(one)), one]))
  const [units, kpis] = [byName('unit'), byName('kpi')]
  const storedBy = (kind: KindName, text: string): AccountRecord | undefined => {
    const found = snapshot.find([kind], text)
    return found instanceof Fault ? undefined : found
  }
  const unitNamed = (text: string): MeasuringUnit | undefined => {
    const stored = storedBy('unit', text)?.stored
    const given = units.get(looseName(text))?.values
    return given || stored ? measuringUnit({ ...stored, ...given }) : undefined
  }
  const unitOfKpi = (name: string, desired: Desired | undefined): MeasuringUnit | undefined => {
    const given = desired?.references['unit']
    if (given !== undefined) return unitNamed(given)
    const id = storedBy('kpi', name)?.stored?.['unit_id']
    return unitNamed(id === undefined ? kpi.fields.unit_id.usual : `#${Number(id)}`)
  }
  return (one) => {
    const name = one.references['kpi'] ?? desiredName(one)
    const desired = one.kind.name === 'kpi' ? one : kpis.get(looseName(name))
    return measureOf(desired ? desiredName(desired) : name, unitOfKpi(name, desired))
  }
}

/** Reads the numbers of a configuration that have units or scales, such as `1.2M €`, by the units of their KPIs. */
export const readWrittenNumbers = (all: readonly Desired[], snapshot: Snapshot): ReadNumbers => {
  if (!all.some(({ written }) => written)) return { desired: all, faults: [], notes: [] }
  const measure = measuresIn(all, snapshot)
  const [faults, notes]: [Issue[], string[]] = [[], []]
  const desired = all.map((one) => {
    if (!one.written) return one
    const { written, ...others } = one
    const values: Record<string, FieldValue> = { ...one.values }
    for (const [name, text] of Object.entries(written)) {
      const line = one.lines?.[name] ?? one.line
      const number = readWrittenNumber(text, [measure(one)])
      if (number === undefined || number instanceof Fault)
        faults.push(faultAt(line, `${name} "${text}" ${number?.message ?? 'must be a number'}`))
      else if (number.rounded)
        faults.push(faultAt(line, `${name} "${text}" must have at most four digits after the decimal point`))
      else {
        values[name] = number.value
        notes.push(`line ${line}: ${number.shown}`)
      }
    }
    return { ...others, values }
  })
  return { desired, faults, notes }
}
