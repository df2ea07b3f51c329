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
