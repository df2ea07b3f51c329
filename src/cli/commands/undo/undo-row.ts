import { resource } from '../../../domain/schema.ts'

/** Defines what becomes of a record or an entry when what created or changed it is taken back. */
export const outcomeRow = resource({
  name: 'created_thing',
  plural: 'created_things',
  title: 'created thing',
  path: '',
  verbs: [],
  fields: {
    action: { kind: 'text', about: 'remove, restore, create or leave' },
    kind: { kind: 'text', about: 'entry, or the kind of record: kpi, user, assignment and the like' },
    id: { kind: 'integer', about: 'Id; null for an entry that is gone', nullable: true },
    name: { kind: 'text', about: 'Name' },
    entries: { kind: 'integer', about: 'How many entries go with it', nullable: true },
    reason: { kind: 'text', about: 'Why it is left alone', nullable: true, isSentence: true },
    change: { kind: 'text', about: 'Values of an entry as they are, and as they are put back', nullable: true },
  },
})
