import { resource, type Stored } from '../schema.ts'

/** Bounds the rows in one answer. */
export const REPORT_LIMIT = 10_000
/** Bounds them in this process, where no other request waits. */
export const REPORT_LIMIT_IN_PROCESS = 30_000

/** Defines one row of the processed report: a KPI, an item and a period. */
export const reportRow = resource({
  name: 'report_row',
  plural: 'report_rows',
  title: 'report row',
  root: 'DataEntry',
  path: '/reports/AllDataEntries',
  verbs: ['list'],
  caution: `One answer holds the first ${REPORT_LIMIT} rows at most. X-Total-Count says how many there are: where that is more, narrow the days, and ask for the rest by itself.`,
  brief: ['entryDate', 'kpiName', 'itemName', 'actual', 'target', 'notes'],
  fields: {
    kpiId: { kind: 'integer', about: 'Id of the KPI', readOnly: true },
    kpiName: { kind: 'text', about: 'Name of the KPI', readOnly: true, example: 'Visits' },
    kpiDescription: {
      kind: 'text',
      about: 'Description of the KPI',
      readOnly: true,
      nullable: true,
      example: 'Visitors of the shop',
    },
    itemId: {
      kind: 'integer',
      about: 'Id of the user or group item that the value belongs to',
      readOnly: true,
      example: 2,
    },
    itemName: { kind: 'text', about: 'Name of that user or group item', readOnly: true, example: 'Ann Lee' },
    periodId: { kind: 'choice', about: 'Id of the frequency', readOnly: true, oneOf: ['D', 'W', 'M', 'Q', 'Y'] },
    period: { kind: 'text', about: 'Name of the frequency', readOnly: true, example: 'Daily' },
    labelFormat: { kind: 'text', about: 'Number pattern to show values in', readOnly: true, example: '#.00' },
    isPercentage: { kind: 'integer', about: '1 where values are percentages, else 0', readOnly: true, example: 0 },
    hasTarget: { kind: 'integer', about: '1 where the KPI has a target, else 0', readOnly: true },
    direction: { kind: 'choice', about: 'Which way is better', readOnly: true, oneOf: ['U', 'D', 'N'] },
    directionName: { kind: 'text', about: 'Name of that direction', readOnly: true, example: 'Up' },
    entryDate: { kind: 'date', about: 'First day of the period', readOnly: true },
    actual: { kind: 'decimal', about: 'Actual value of the period', readOnly: true, nullable: true, example: 120.5 },
    target: { kind: 'decimal', about: 'Target of the period', readOnly: true, nullable: true, example: 100 },
    notes: {
      kind: 'text',
      about: "The period's notes, a line each",
      readOnly: true,
      nullable: true,
      example: 'Sale began',
    },
  },
})

export type ReportRow = Stored<typeof reportRow>

/**
 * Defines what all rows of a report that begin on one day are together, for whoever has them already: if the digest is
 * that of the rows at hand, nothing of them has changed.
 */
export const reportDay = resource({
  name: 'report_day',
  plural: 'report_days',
  title: 'day of a report',
  root: 'DataEntryDay',
  path: `${reportRow.path}/days`,
  verbs: ['list'],
  caution:
    'A day without rows is left out. The digest changes whenever any value of a row, their number or their order does, also where entries were removed or a KPI was renamed; compare it only with one of the same version of the service.',
  fields: {
    entryDate: { kind: 'date', about: 'First day of the periods', readOnly: true },
    rows: { kind: 'integer', about: 'How many rows begin on that day', readOnly: true, example: 12 },
    digest: {
      kind: 'text',
      about: 'SHA-256 of these rows',
      readOnly: true,
      example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    },
  },
})

export type ReportDay = Stored<typeof reportDay>
