import { type Issue, KpiError } from '../domain/errors.ts'
import type { Variant } from '../domain/variants.ts'
import type { Summary } from './import-types.ts'
import type { ImportOptions, MaxErrors } from './options.ts'
import type { Reference } from './reference.ts'
import { type CountedReasons, countReasons, reasonIssues } from './rejects/reason-counts.ts'
import type { Rejects } from './rejects/rejects.ts'
import { waysOut } from './rejects/ways-out.ts'
import { countText } from './text.ts'

/** Returns the most rows that may be rejected; a percentage is exact only once all rows have been read. */
const mostOf = (maxErrors: MaxErrors, read: number): number =>
  'count' in maxErrors ? maxErrors.count : Math.floor((maxErrors.percent * read) / 100)

const textOf = (maxErrors: MaxErrors): string =>
  'count' in maxErrors ? String(maxErrors.count) : `${maxErrors.percent}%`

const tooMany = (maxErrors: MaxErrors, what: string, issues: readonly Issue[] = []): KpiError =>
  new KpiError('malformed', `${what}, more than --max-errors ${textOf(maxErrors)} allows`, { issues })

/** Says what to do about missing assignments, which no correction of rows can fix. */
const ASSIGN_FIRST: Issue = { field: '--create-assignments', message: 'assigns KPIs to their users where rows need it' }

/** Holds what is known of a file's rejects, and what may be done about them. */
type Rejected = {
  readonly rejects: Rejects
  readonly options: Pick<ImportOptions, 'maxErrors'>
  readonly advice?: (reasons: CountedReasons) => readonly Issue[]
}

/** Describes a file of entries, of which some rows are rejects. */
type RejectedEntries = {
  readonly rejects: Rejects
  readonly options: ImportOptions
  readonly variant: Variant
  readonly reference: Pick<Reference, 'lacksAssignments'>
}

/** Returns the rejects of a file of entries, with what may be done about them. */
export const rejectedEntries = ({ rejects, options, variant, reference }: RejectedEntries): Rejected => ({
  rejects,
  options,
  advice: (reasons) => [...waysOut(reasons, options, variant), ...(reference.lacksAssignments() ? [ASSIGN_FIRST] : [])],
})

/**
 * Refuses a file with too many bad rows before anything is sent: `--max-errors 50` while it is read, `--max-errors 5%`
 * once all of it has been read.
 */
export const requireFewBadRows = (
  { read, rejected }: Pick<Summary, 'read' | 'rejected'>,
  { rejects, options: { maxErrors }, advice = () => [] }: Rejected,
  isWhole = false,
): void => {
  if (!maxErrors || !(isWhole || 'count' in maxErrors) || rejected <= mostOf(maxErrors, read)) return
  const many = `${countText(rejected)} of ${isWhole ? '' : 'the first '}${countText(read)} rows are bad`
  const reasons = countReasons(rejects)
  throw tooMany(maxErrors, `nothing was sent: ${many}`, [
    ...reasonIssues(reasons),
    ...advice(reasons),
    { field: '--dry-run', message: 'without --max-errors shows all of them' },
  ])
}

/** Refuses a file with too many rejects of all kinds, once all of it has been read. */
export const requireFewRejects = (summary: Pick<Summary, 'read'>, of: Rejected): void => {
  let rejected = 0
  for (const _ of of.rejects.lines()) rejected += 1
  requireFewBadRows({ ...summary, rejected }, of, true)
}

const countLines = (rejects: Rejects, most: number): number => {
  let count = 0
  for (const _ of rejects.lines()) {
    count += 1
    if (count > most) break
  }
  return count
}

/** Returns the error that ends a run once more rows are rejected than allowed, in the file or by the service. */
export const tooManyRejected = (
  rejects: Rejects,
  { read }: Pick<Summary, 'read'>,
  maxErrors: MaxErrors | undefined,
): KpiError | undefined => {
  if (!maxErrors) return undefined
  const most = mostOf(maxErrors, read)
  // Each row has at least one reason, so if there are few reasons the rows need not be counted.
  if (rejects.size() <= most || countLines(rejects, most) <= most) return undefined
  return tooMany(maxErrors, `more than ${countText(most)} of ${countText(read)} rows were rejected`)
}
