import { asStored, type Draft, type Patch, printable, resource, type Stored } from '../schema.ts'
import { kpi } from './kpi.ts'

/** Defines a step of a calculation: an input, or the result of the inputs of the same item and period. */
export const calculationStep = printable(
  'calculation_step',
  'step of a calculation',
  {
    entryDate: { kind: 'date', about: 'First day of the period' },
    itemId: { kind: 'integer', about: 'Id of the user or group item' },
    itemName: { kind: 'text', about: 'Name of that user or group item' },
    role: {
      kind: 'choice',
      about: 'input: what the formula takes; result: what it makes of it',
      oneOf: ['input', 'result'],
    },
    kpiId: { kind: 'integer', about: 'Id of the KPI' },
    kpiName: { kind: 'text', about: 'Name of the KPI' },
    actual: { kind: 'decimal', about: 'Value, rounded to be shown', nullable: true },
    target: { kind: 'decimal', about: 'Target, rounded to be shown', nullable: true },
    reason: { kind: 'text', about: 'Why there is no value', nullable: true },
  },
  ['entryDate', 'itemName', 'role', 'kpiName', 'actual', 'target', 'reason'],
)

export type CalculationStep = Stored<typeof calculationStep>

/** Bounds the characters of a formula. */
export const FORMULA_LENGTH = 1000

/** Holds the fields that only a calculated KPI has. */
export const formulaFields = {
  formula: {
    kind: 'text',
    about: 'What it is calculated from: numbers, + - * / ( ), [KPI], SUM AVG MIN MAX over a list',
    required: true,
    max: FORMULA_LENGTH,
  },
  over: {
    kind: 'choice',
    about: "For a group item: the aggregate of its members' results, or the formula over the aggregated inputs",
    required: true,
    oneOf: ['results', 'inputs'],
    usual: 'results',
  },
  target_from: {
    kind: 'choice',
    about: "Where its target comes from: its own default, or the formula over its inputs' targets",
    required: true,
    oneOf: ['default', 'formula'],
    usual: 'default',
  },
} as const

/** Defines a calculated KPI for the operator. The interface shows it as any other KPI. */
export const calculatedKpi = resource({
  name: 'calculated_kpi',
  plural: 'calculated',
  title: 'calculated KPI',
  path: '',
  verbs: [],
  brief: ['id', 'name', 'frequency_id', 'formula', 'over', 'target_default', 'target_from', 'is_active'],
  fields: { ...kpi.fields, ...formulaFields },
})

/** Defines a calculated KPI with all that the store holds of it: its dated targets, too. */
export const storedCalculatedKpi = asStored(calculatedKpi)

/** Defines the formula of a KPI as the store holds it, apart from the KPI. */
export const storedFormula = resource({
  name: 'formula',
  plural: 'formulas',
  title: 'formula',
  path: '',
  verbs: [],
  fields: {
    ...formulaFields,
    over: { ...formulaFields.over, column: 'calculated_over' },
    created_at: kpi.fields.created_at,
    updated_at: kpi.fields.updated_at,
  },
})

export type CalculatedKpi = Stored<typeof calculatedKpi>
export type CalculatedDraft = Draft<typeof calculatedKpi>
export type CalculatedPatch = Patch<typeof calculatedKpi>
