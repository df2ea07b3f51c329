import type { AnswerRow } from '../../../domain/analysis/answer-row.ts'

/** Maps fields to the heads that people read, which are those of the overview. */
const HEADS: Readonly<Partial<Record<keyof AnswerRow, string>>> = {
  entryDate: 'period',
  kpiName: 'kpi',
  itemName: 'item',
  period: 'frequency',
  previous_actual: 'before',
  previous_from: 'before_from',
  previous_to: 'before_to',
  difference: 'change',
  difference_percent: 'percent',
  share_percent: 'share',
  progress_percent: 'progress',
}

/** Returns the field that a head stands for; a name that is no head stands for itself. */
export const fieldOfHead = (name: string): string =>
  Object.entries(HEADS).find(([, head]) => head === name)?.[0] ?? name

/** Returns the head of a field. */
export const headOf = (field: string): string => Object.entries(HEADS).find(([name]) => name === field)?.[1] ?? field
