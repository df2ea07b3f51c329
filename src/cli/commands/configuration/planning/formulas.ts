import { parseFormula } from '../../../../domain/calculated/formula-parser.ts'
import { Fault } from '../../../../domain/errors.ts'
import { FORMULA_LENGTH } from '../../../../domain/resources/calculated-kpi.ts'
import type { KindName } from './kinds.ts'
import type { Thing, Things } from './things.ts'

const KPIS: readonly KindName[] = ['kpis', 'calculated']
const ID = /^\d{1,15}$/
const ID_IN_BRACKETS = /\[(\d+)\]/g

/** Tells whether a name can stand in the brackets of a formula. */
const fits = (name: string): boolean => !/[[\]]/.test(name) && !ID.test(name)

/** Returns a formula with names for ids, as people write it. */
export const withNames = (things: Things, formula: string): string => {
  const nameOf = (whole: string, id: string): string => {
    const thing = things.byId(KPIS, Number(id))
    if (!thing || !fits(thing.name)) return whole
    return things.find(KPIS, thing.name) === thing ? `[${thing.name}]` : whole
  }
  const text = formula.replaceAll(ID_IN_BRACKETS, nameOf)
  return Array.from(text).length > FORMULA_LENGTH ? formula : text
}

/** Describes a formula of a file: its text with ids, or with stand-ins for KPIs that are new. */
type FormulaOfFile = { readonly text: string; readonly inputs: readonly Thing[] }

/** Returns the largest id of a KPI, above which ids stand for new ones. */
const largestId = (things: Things): number =>
  KPIS.flatMap(things.ofKind).reduce((most, { id }) => Math.max(most, id ?? 0), 0)

/** Reads the formula of a file, in which KPIs stand by id or exact name; returns its fault. */
export const readFormula = (things: Things, written: string): FormulaOfFile | Fault => {
  const base = largestId(things)
  const inputs = new Map<number, Thing>()
  const resolve = (name: string): number | Fault => {
    const thing = ID.test(name) ? things.byId(KPIS, Number(name)) : things.find(KPIS, name.replace(/^(?='*#\d+$)/, "'"))
    if (thing instanceof Fault) return thing
    if (!thing) return new Fault(`there is no KPI ${name}`)
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
