import { resource } from '../schema.ts'

/** Defines a target that holds from a day on, until the next one: an element of the lists of KPIs and of assignments. */
export const datedTarget = resource({
  name: 'dated_target',
  plural: 'dated_targets',
  title: 'dated target',
  root: 'DatedTarget',
  path: '',
  verbs: [],
  fields: {
    from: { kind: 'date', about: 'First day on which it counts', required: true, example: '2027-01-01' },
    target: { kind: 'decimal', about: 'Target from that day on', required: true, example: 130 },
  },
})

/** Holds the preference of the header `Prefer` by which a client asks for dated targets; an answer names it as applied. */
export const DATED_TARGETS = 'dated-targets'

/** Defines the field by which a change of dated targets names the ones that it replaces. */
export const targetsBefore = {
  kind: 'targets',
  about: 'Dated targets that `targets` replaces, as they were read; while there are others, the change is refused',
  nullable: true,
  onRequest: true,
  writeOnly: true,
  isDerived: true,
} as const
