import { resource, type Stored } from '../schema.ts'

/** A step of a calculation: an input, or the result that is made of the inputs of the same item and period. */
export const calculationStep = resource({
  name: 'calculation_step',
  plural: 'calculation_steps',
  title: 'step of a calculation',
  path: '',
  verbs: [],
  brief: ['entryDate', 'itemName', 'role', 'kpiName', 'actual', 'target', 'reason'],
  fields: {
    entryDate: { kind: 'date', about: 'First day of the period', readOnly: true },
    itemId: { kind: 'integer', about: 'Id of the user or group item', readOnly: true },
    itemName: { kind: 'text', about: 'Name of that user or group item', readOnly: true },
    role: {
      kind: 'choice',
      about: 'input: what the formula takes; result: what it makes of it',
      readOnly: true,
      oneOf: ['input', 'result'],
    },
    kpiId: { kind: 'integer', about: 'Id of the KPI', readOnly: true },
    kpiName: { kind: 'text', about: 'Name of the KPI', readOnly: true },
    actual: { kind: 'decimal', about: 'Value, rounded to be shown', readOnly: true, nullable: true },
    target: { kind: 'decimal', about: 'Target, rounded to be shown', readOnly: true, nullable: true },
    reason: { kind: 'text', about: 'Why there is no value', readOnly: true, nullable: true },
  },
})

export type CalculationStep = Stored<typeof calculationStep>
