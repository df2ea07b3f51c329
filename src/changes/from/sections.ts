import { type Kind, KIND_NAMES, kinds, sectionOf } from '../records/kind-fields.ts'

/** Describes a section of a file: its kind, and its own words for fields. */
export type Section = { readonly kind: Kind; readonly words?: Readonly<Record<string, string>> }

/** Returns what a section calls a field. */
export const wordOf = ({ words }: Section, name: string): string => words?.[name] ?? name

/**
 * Lists the sections that a file may have. Groups are the breakdowns of the newer interface, and have either name.
 */
export const sections: ReadonlyMap<string, Section> = new Map([
  ...KIND_NAMES.filter((name) => name !== 'icon').map((name): [string, Section] => [
    sectionOf(name),
    { kind: kinds[name] },
  ]),
  ['breakdowns', { kind: kinds.group }],
  ['breakdown_items', { kind: kinds.group_item, words: { group: 'breakdown' } }],
])
