import { expect, test } from 'vitest'
import { outputSchemas } from '../../docs/output-schemas.ts'

/**
 * What programs read of changes of definitions: the fields of their dry runs, plans, summaries and receipts. Fields may be
 * added; one that goes, or is called otherwise, breaks who reads it.
 */
const FIELDS: Readonly<Record<string, string>> = {
  change_row: 'action id name field old new',
  create_counts: 'created',
  update_counts: 'updated unchanged',
  delete_counts: 'deleted',
  delete_row: 'action id name goes_with assignments entries links',
  definition_dry_run_row: 'line action id name changes reason',
  definition_summary:
    'read created updated unchanged skipped rejected rounded empty left requests refused waited seconds receipt',
  planned_assignment: 'user_id id user_target sort_order user kpi',
  planned_assignment_change: 'user_id id old_target new_target user kpi',
  planned_user_group_item: 'user_id id user group_item',
  assign_add_counts: 'added users',
  assign_update_counts: 'updated unchanged',
  assign_remove_counts: 'removed',
  assign_dry_run_row: 'line action user_id kpi_id user_target sort_order reason changes',
  assign_summary: 'read added updated unchanged rejected rounded empty left requests refused waited seconds receipt',
  plan_row: 'action section name field old new',
  plan_counts: 'created updated deleted unchanged',
  apply_summary: 'created updated deleted unchanged left requests refused waited seconds receipt',
  created_thing: 'action kind id name entries reason change',
  undo_counts: 'restored removed things unchanged skipped',
  history_row: 'receipt command file began_at service account created updated deleted state',
}

const { $defs } = (await outputSchemas()) as {
  readonly $defs: Readonly<Record<string, { readonly properties?: object }>>
}

test.each(Object.entries(FIELDS))('%s is printed with the fields that programs read', (name, fields) => {
  expect(Object.keys($defs[name]?.properties ?? {})).toEqual(expect.arrayContaining(fields.split(' ')))
})
