/** Describes a kind of step: the words of its command, and what it works on. */
type KindOfStep = {
  /** Holds the words of the command; a webhook has none. */
  readonly words: readonly string[]
  /** Says what the step names; `none` for a step that has flags only. */
  readonly target: string
  /** Holds the flag that takes what it names; undefined where that is an argument. */
  readonly flag?: string
}

/** Lists the kinds of steps, in the order in which jobs mostly have them. */
export const STEP_KINDS = ['import', 'check', 'report', 'export', 'export_entries', 'verify', 'webhook'] as const
export type StepKind = (typeof STEP_KINDS)[number]

/** Holds what each kind of step does. */
export const stepKinds: Readonly<Record<StepKind, KindOfStep>> = {
  import: { words: ['entries', 'import'], target: 'files, such as inbox/*.csv' },
  check: { words: ['check'], target: 'none' },
  report: { words: ['report'], target: 'none' },
  export: { words: ['report', 'export'], target: 'the file to write', flag: '--to-file' },
  export_entries: { words: ['entries', 'export'], target: 'the file to write', flag: '--to-file' },
  verify: { words: ['report', 'verify'], target: 'the file of a report that has a manifest' },
  webhook: { words: [], target: 'an https address' },
}
