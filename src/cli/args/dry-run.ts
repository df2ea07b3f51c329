import type { CommandUnknownOpts, OptionValues } from '@commander-js/extra-typings'
import { UsageError } from '../exit.ts'

/** Holds the flag that leaves out the rows of a dry run, and its help. */
export const SUMMARY_ONLY = ['--summary-only', 'with --dry-run: show the counts and not the rows'] as const

/** Refuses `--summary-only` where there is nothing that it shortens. */
export const requireDryRun = ({
  dryRun,
  summaryOnly,
}: {
  readonly dryRun?: unknown
  readonly summaryOnly?: unknown
}): void => {
  if (summaryOnly === true && dryRun !== true) throw new UsageError('--summary-only goes with --dry-run')
}

/** Is the flag of commands that ask before each work they do, so that they do nothing without it where nobody can be asked. */
export const YES = ['-y, --yes', 'do not ask'] as const

/** Tells whether a command asks before it does anything, and its flags do not say yes. */
export const asksFirst = ({ options }: CommandUnknownOpts, flags: OptionValues): boolean =>
  options.some(({ long, description }) => long === '--yes' && description === YES[1]) &&
  flags['yes'] !== true &&
  flags['dryRun'] !== true
