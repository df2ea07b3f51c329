import { formatDay } from '../../domain/day.ts'
import type { Entry } from '../../domain/resources/entry.ts'
import { type Form, notesText, numberText } from './form.ts'
import type { Labels } from './labels.ts'
import type { Sheet } from './sheet.ts'

/** Whom an entry belongs to: a user, or in the column beside it a breakdown item that is no person. */
export const ownerCells = ({ user_id, source_id }: Entry, labels: Labels, hasSources: boolean): string[] => {
  const user = user_id === null ? '' : labels.user(user_id)
  if (!hasSources) return [user]
  return [user, user_id !== null || source_id === null ? '' : labels.source(source_id)]
}

/** The columns of `ownerCells`. `source_id` is the one name that says that it stands beside a user. */
export const ownerHeader = (hasSources: boolean): string[] => (hasSources ? ['user', 'source_id'] : ['user'])

const longHeader = (hasSources: boolean): string[] => [
  ...ownerHeader(hasSources),
  'kpi',
  'date',
  'actual',
  'target',
  'notes',
]

/** Whether a header is that of a file as it is exported, be there columns of a rejects file behind it. */
export const isExported = (header: readonly string[]): boolean =>
  [true, false].some((hasSources) => longHeader(hasSources).every((name, at) => header[at] === name))

/** A row an entry. */
export const longSheet = (form: Form, labels: Labels, hasSources: boolean): Sheet => ({
  header: longHeader(hasSources),
  rows: function* (day, leftOut) {
    for (const entry of day) {
      if (entry.user_id === null && !hasSources) {
        leftOut.ofItems += 1
        continue
      }
      const { kpi_id, entry_date, actual, target, notes } = entry
      yield [
        ...ownerCells(entry, labels, hasSources),
        labels.kpi(kpi_id),
        formatDay(entry_date),
        numberText(form, actual),
        numberText(form, target),
        notesText(form, notes),
      ]
    }
  },
})
