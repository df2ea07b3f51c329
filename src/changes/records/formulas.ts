import { parseFormula } from '../../domain/calculated/formula-parser.ts'
import { Fault } from '../../domain/errors.ts'
import { FORMULA_LENGTH } from '../../domain/resources/calculated-kpi.ts'
import { KPIS } from './kind-fields.ts'
import type { AccountRecord, Snapshot } from './snapshot.ts'

const ID = /^\d{1,15}$/
const ID_IN_BRACKETS = /\[(\d+)\]/g

/** Finds the KPI that stands in the brackets of a formula, by id or exact name; `#2` is a name there. */
const find = (snapshot: Snapshot, text: string): AccountRecord | Fault =>
  ID.test(text)
    ? (snapshot.byId(KPIS, Number(text)) ?? new Fault(`there is no KPI ${text}`))
    : snapshot.find(KPIS, text.replace(/^(?='*#\d+$)/, "'"))

/** Tells whether the name of a KPI, in the brackets of a formula, is read as that KPI and no other. */
const isReadAs = (snapshot: Snapshot, record: AccountRecord): boolean =>
  !/[[\]]/.test(record.name) && find(snapshot, record.name) === record

/** Returns a formula with names for ids, as people write it. */
export const withNames = (snapshot: Snapshot, formula: string): string => {
  const nameOf = (whole: string, id: string): string => {
    const record = snapshot.byId(KPIS, Number(id))
    return record && isReadAs(snapshot, record) ? `[${record.name}]` : whole
  }
  const text = formula.replaceAll(ID_IN_BRACKETS, nameOf)
  return Array.from(text).length > FORMULA_LENGTH ? formula : text
}

/** Describes a formula of a file: its text with ids, or with stand-ins for KPIs that are new. */
type FormulaOfFile = { readonly text: string; readonly inputs: readonly AccountRecord[] }

/** Reads the formula of a file, in which KPIs stand by id or exact name; returns its fault. */
export const readFormula = (snapshot: Snapshot, written: string): FormulaOfFile | Fault => {
  // Larger ids stand for new KPIs.
  const base = Math.max(...KPIS.map((kind) => snapshot.largestId(kind)))
  const inputs = new Map<number, AccountRecord>()
  const resolve = (name: string): number | Fault => {
    const record = find(snapshot, name)
    if (record instanceof Fault) return record
    const id = record.id ?? base + record.serial
    inputs.set(id, record)
    return id
  }
  const formula = parseFormula(written, resolve)
  if (formula instanceof Fault) return formula
  return { text: formula.text, inputs: [...inputs.values()] }
}

/** Returns a formula with the ids of KPIs that were new when it was read. */
export const withIds = (snapshot: Snapshot, written: string): string => {
  const formula = readFormula(snapshot, written)
  return formula instanceof Fault ? written : formula.text
}
