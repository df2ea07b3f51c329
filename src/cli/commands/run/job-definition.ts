/** Describes a kind of step: the line that it stands for, and what it works on. */
type KindOfStep = {
  /** Holds the words of its command; a webhook has none, and a step that is a line has its own. */
  readonly words: readonly string[]
  readonly about: string
  /** Says what the step names; `none` for a step that has flags only. */
  readonly target: string
  /** Tells that it may name several of them. */
  readonly isList?: true
  /** Tells that other parts may say it instead: an address that is secret, or a query. */
  readonly isOptional?: true
  /** Holds the flag that takes what it names; undefined where that is an argument. */
  readonly flag?: '--to-file'
  /** Names the kind of step that writes the same to a file. */
  readonly toFile?: StepKind
}

/** Lists the kinds of steps, in the order in which jobs mostly have them. */
export const STEP_KINDS = ['import', 'check', 'report', 'export', 'export_entries', 'verify', 'run', 'webhook'] as const
export type StepKind = (typeof STEP_KINDS)[number]

/** Holds what each kind of step does. */
export const stepKinds: Readonly<Record<StepKind, KindOfStep>> = {
  import: {
    words: ['entries', 'import'],
    about: 'Imports files, each by itself, in the order of their names',
    target: 'files, such as inbox/*.csv, or the flags sql and from-db',
    isList: true,
    isOptional: true,
  },
  check: { words: ['check'], about: 'Finds missed targets and missing values', target: 'none' },
  report: { words: ['report'], about: 'Writes a report to the log', target: 'none', toFile: 'export' },
  export: {
    words: ['report', 'export'],
    about: 'Writes a report to a file',
    target: 'the file to write',
    flag: '--to-file',
  },
  export_entries: {
    words: ['entries', 'export'],
    about: 'Writes entries to a file',
    target: 'the file to write',
    flag: '--to-file',
  },
  verify: {
    words: ['report', 'verify'],
    about: 'Checks the file of a report against its manifest',
    target: 'the file of a report that has a manifest',
  },
  run: {
    words: [],
    about: 'Runs a command of kpi',
    target: 'a command line, such as "entries delete --from 2026-01-01 --to 2026-01-31 --yes", or a list of its words',
    isList: true,
  },
  webhook: {
    words: [],
    about: 'Sends the outcome of the steps before it, in any case',
    target: 'an https address',
    isOptional: true,
  },
}

/** Says why some commands are no steps. */
export const NO_STEPS: Readonly<Record<string, string>> = {
  run: 'a job runs no other job; start each by itself',
  'entries enter': 'it asks at a terminal',
  serve: 'it runs until it is stopped',
  completion: 'it is for the shell of somebody who types',
  ...Object.fromEntries(
    ['profiles add', 'profiles use', 'profiles update', 'profiles remove'].map((path) => [
      path,
      'it changes what later runs use',
    ]),
  ),
  ...Object.fromEntries(
    ['service token create', 'service keys create', 'service keys rotate'].map((path) => [
      path,
      'it shows a secret, and a log must hold none',
    ]),
  ),
}

/** Lists the kinds of steps that are commands. */
const COMMANDS: readonly StepKind[] = STEP_KINDS.filter((kind) => kind !== 'webhook')

/** Describes a part of a job or of a step. */
export type Part = {
  readonly about: string
  /** Lists what it may be; undefined where it is any text. */
  readonly choices?: readonly string[]
  /** Tells that it may be a count as well. */
  readonly isCount?: true
}

/** Describes a part of a step, and the kinds of steps that have it. */
type PartOfStep = Part & { readonly of: readonly StepKind[] }

/** Stands for tries without a count. */
export const UNTIL_DEADLINE = 'until-deadline'

/** Bounds how often a step is tried again by a count. */
export const MOST_RETRIES = 100

/** Holds the parts of a job that are one text. */
export const jobParts = {
  lock: { about: 'Lock of the job: while another command holds it, the job ends with 8' },
  deadline: {
    about: 'When the job ends, finished or not: a time of day (06:00), or a time from its beginning (90s, 30m, 2h)',
  },
  log: { about: 'File to which the log is added; {date} is the day on which the job began' },
  retry: {
    about:
      'How often each step is tried again that ends with 5 or 6, as its service fails: a count, or until the deadline',
    choices: [UNTIL_DEADLINE],
    isCount: true,
  },
} as const satisfies Readonly<Record<string, Part>>

/** Holds the parts of a step that are one text, beside its kind and its flags. */
export const stepParts = {
  on_failure: {
    about: 'Whether the job goes on where the step fails',
    choices: ['stop', 'continue'],
    of: COMMANDS,
  },
  move_to: { about: 'Folder to which each imported file is moved', of: ['import', 'run'] },
  required: {
    about:
      'Whether the step fails where no file is there to import (true), or where any name or pattern has none (each)',
    choices: ['true', 'false', 'each'],
    of: ['import', 'run'],
  },
  retry: {
    about: 'The same as retry of the job, for this step; 0 for none',
    choices: [UNTIL_DEADLINE],
    isCount: true,
    of: COMMANDS,
  },
  url_env: { about: 'Variable of the environment that holds the address, if that is secret', of: ['webhook'] },
  url_file: { about: 'File that holds the address, and that only its owner can read', of: ['webhook'] },
  token_env: { about: 'Variable of the environment that holds the secret', of: ['webhook'] },
  token_file: { about: 'File that holds the secret, and that only its owner can read', of: ['webhook'] },
} as const satisfies Readonly<Record<string, PartOfStep>>

/** Lists the parts of which one may name the address of a webhook instead. */
export const ADDRESS_PARTS = ['url_env', 'url_file'] as const

/** Describes the flags of a step. */
export const flagsPart = {
  about: 'Flags of the command',
  of: COMMANDS.filter((kind) => kind !== 'run'),
} as const satisfies PartOfStep

/** Returns the names of the parts that a kind of step has beside itself. */
export const partsOf = (kind: StepKind): string[] =>
  Object.entries<PartOfStep>({ flags: flagsPart, ...stepParts })
    .filter(([, { of }]) => of.includes(kind))
    .map(([name]) => name)
