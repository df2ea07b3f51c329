import { type Issue, KpiError } from '../domain/errors.ts'
import type { Summary } from './import-types.ts'
import type { MaxErrors } from './options.ts'
import type { Reference } from './reference.ts'
import type { Rejects } from './rejects/rejects.ts'

/** Returns the most rows that may be rejected; a percentage is exact only once all rows have been read. */
const mostOf = (maxErrors: MaxErrors, read: number): number =>
  'count' in maxErrors ? maxErrors.count : Math.floor((maxErrors.percent * read) / 100)

const textOf = (maxErrors: MaxErrors): string =>
  'count' in maxErrors ? String(maxErrors.count) : `${maxErrors.percent}%`

const tooMany = (maxErrors: MaxErrors, what: string, issues: readonly Issue[] = []): KpiError =>
  new KpiError('malformed', `${what}, more than --max-errors ${textOf(maxErrors)} allows`, { issues })

/** Describes a rejected row and why. */
export type BadRow = { readonly line: number; readonly reasons: readonly string[] }

/** Says what to do about missing assignments, which no correction of rows can fix. */
const ASSIGN_FIRST: Issue = { field: '--create-assignments', message: 'assigns KPIs to their users where rows need it' }

/** Sets how many rejected rows are shown if nothing is sent. */
export const SHOWN_BAD = 5

const issuesOf = (bad: readonly BadRow[]): Issue[] =>
  bad.map(({ line, reasons }) => ({ field: `line ${line}`, message: reasons.join('; ') }))

/**
 * Refuses a file with too many bad rows before anything is sent: `--max-errors 50` while it is read, `--max-errors 5%`
 * once all of it has been read.
 */
export const requireFewBadRows = (
  { read, rejected }: Summary,
  maxErrors: MaxErrors | undefined,
  bad: readonly BadRow[],
  { lacksAssignments }: Pick<Reference, 'lacksAssignments'>,
  isWhole = false,
): void => {
  if (!maxErrors || !(isWhole || 'count' in maxErrors) || rejected <= mostOf(maxErrors, read)) return
  const many = `${rejected} of ${isWhole ? '' : 'the first '}${read} rows are bad`
  throw tooMany(maxErrors, `nothing was sent: ${many}`, [
    ...issuesOf(bad),
    ...(lacksAssignments() ? [ASSIGN_FIRST] : []),
    { field: '--dry-run', message: 'without --max-errors shows all of them' },
  ])
}

/** Refuses a file with too many rejects of all kinds, once all of it has been read. */
export const requireFewRejects = (
  rejects: Rejects,
  summary: Summary,
  maxErrors: MaxErrors | undefined,
  reference: Reference,
): void => {
  let rejected = 0
  const first: BadRow[] = []
  for (const one of rejects.lines()) {
    rejected += 1
    if (first.length < SHOWN_BAD) first.push(one)
  }
  requireFewBadRows({ ...summary, rejected }, maxErrors, first, reference, true)
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
  { read }: Summary,
  maxErrors: MaxErrors | undefined,
): KpiError | undefined => {
  if (!maxErrors) return undefined
  const most = mostOf(maxErrors, read)
  // Each row has at least one reason, so if there are few reasons the rows need not be counted.
  if (rejects.size() <= most || countLines(rejects, most) <= most) return undefined
  return tooMany(maxErrors, `more than ${most} of ${read} rows were rejected`)
}
