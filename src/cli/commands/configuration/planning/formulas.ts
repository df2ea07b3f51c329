import { parseFormula } from '../../../../domain/calculated/formula-parser.ts'
import { Fault } from '../../../../domain/errors.ts'
import { FORMULA_LENGTH } from '../../../../domain/resources/calculated-kpi.ts'
import type { KindName } from './kinds.ts'
import type { Thing, Things } from './things.ts'

const KPIS: readonly KindName[] = ['kpi', 'calculated_kpi']
const ID = /^\d{1,15}$/
const ID_IN_BRACKETS = /\[(\d+)\]/g

/** Finds the KPI that stands in the brackets of a formula, by id or exact name; `#2` is a name there. */
const find = (things: Things, text: string): Thing | Fault =>
  ID.test(text)
    ? (things.byId(KPIS, Number(text)) ?? new Fault(`there is no KPI ${text}`))
    : things.find(KPIS, text.replace(/^(?='*#\d+$)/, "'"))

/** Tells whether the name of a KPI, in the brackets of a formula, is read as that KPI and no other. */
const isReadAs = (things: Things, thing: Thing): boolean =>
  !/[[\]]/.test(thing.name) && find(things, thing.name) === thing

/** Returns a formula with names for ids, as people write it. */
export const withNames = (things: Things, formula: string): string => {
  const nameOf = (whole: string, id: string): string => {
    const thing = things.byId(KPIS, Number(id))
    return thing && isReadAs(things, thing) ? `[${thing.name}]` : whole
  }
  const text = formula.replaceAll(ID_IN_BRACKETS, nameOf)
  return Array.from(text).length > FORMULA_LENGTH ? formula : text
}

/** Describes a formula of a file: its text with ids, or with stand-ins for KPIs that are new. */
type FormulaOfFile = { readonly text: string; readonly inputs: readonly Thing[] }

/** Reads the formula of a file, in which KPIs stand by id or exact name; returns its fault. */
export const readFormula = (things: Things, written: string): FormulaOfFile | Fault => {
  // Larger ids stand for new KPIs.
  const base = Math.max(...KPIS.map(things.largestId))
  const inputs = new Map<number, Thing>()
  const resolve = (name: string): number | Fault => {
    const thing = find(things, name)
    if (thing instanceof Fault) return thing
    const id = thing.id ?? base + thing.serial
    inputs.set(id, thing)
    return id
  }
  const formula = parseFormula(written, resolve)
  if (formula instanceof Fault) return formula
  return { text: formula.text, inputs: [...inputs.values()] }
}

/** Returns a formula with the ids of KPIs that were new when it was read. */
export const withIds = (things: Things, written: string): string => {
  const formula = readFormula(things, written)
  return formula instanceof Fault ? written : formula.text
}
