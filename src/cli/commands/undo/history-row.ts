import { resource } from '../../../domain/schema.ts'

/** Defines a run in the list of what commands changed. */
export const historyRow = resource({
  name: 'history_row',
  plural: 'history_rows',
  title: 'run',
  path: '',
  verbs: [],
  brief: ['receipt', 'command', 'file', 'records', 'began_at', 'created', 'updated', 'deleted', 'entries', 'state'],
  fields: {
    // A table must not cut it, as users copy it.
    receipt: { kind: 'text', about: 'Name of the receipt, by which kpi undo takes it back', isSentence: true },
    command: { kind: 'text', about: 'Command that changed something' },
    file: { kind: 'text', about: 'File that it read; empty if it read none', nullable: true },
    records: {
      kind: 'text',
      about: 'First record that it changed, and how many more; null for entries',
      nullable: true,
    },
    began_at: { kind: 'datetime', about: 'When it began' },
    service: { kind: 'text', about: 'Service that it changed' },
    account: { kind: 'text', about: 'Account that it changed, or the login or key if only that is known' },
    created: { kind: 'integer', about: 'Records that it created: KPIs, users, assignments and the like' },
    updated: { kind: 'integer', about: 'Records that it changed' },
    deleted: { kind: 'integer', about: 'Records that it deleted' },
    entries: { kind: 'integer', about: 'Entries that it created, changed or deleted', nullable: true },
    state: { kind: 'text', about: 'done, stopped, running, undone, or undone in part' },
    undone_at: { kind: 'datetime', about: 'When it was taken back; null if it was not', nullable: true },
  },
})
