import { DID_YOU_MEAN } from '../../client/nearest.ts'
import { unknownName } from '../../client/directory.ts'
import { type Issue, KpiError } from '../../domain/errors.ts'
import { breakdownItem } from '../../domain/resources/breakdowns.ts'
import { kpi } from '../../domain/resources/kpi.ts'
import { user } from '../../domain/resources/user.ts'
import type { Resource } from '../../domain/schema.ts'
import { type Variant, verbsIn } from '../../domain/variants.ts'
import { type Creatable, type ImportOptions, type MaxErrors, ON_DUPLICATE } from '../options/options.ts'
import { type CountedReasons, countReasons, isOnLines, reasonIssues } from './reason-counts.ts'
import { countedText, countText, nounOf } from '../../domain/count-text.ts'
import type { Reference } from '../directory/reference.ts'
import { MOST_BYTES, type Rejects } from './rejects.ts'

/** Describes what a run may do about its rejects. */
type WayOutOptions = Pick<ImportOptions, 'create' | 'onDuplicate'>

type UnknownThing = {
  readonly kind: Creatable
  readonly of: Resource
  /** Names the things as faults do. */
  readonly title: string
  readonly command: string
}

const THINGS: readonly UnknownThing[] = [
  { kind: 'users', of: user, title: 'user', command: 'kpi users create' },
  { kind: 'kpis', of: kpi, title: 'KPI', command: 'kpi kpis create' },
  { kind: 'items', of: breakdownItem, title: 'breakdown item', command: 'kpi breakdown-items create' },
]

/** Tells whether a reason names what was probably meant, so that nothing new is to be created. */
const isMisspelt = (reason: string): boolean => reason.includes(DID_YOU_MEAN)

/** Says how to create what rows name and the service does not have. */
const creating = (reasons: readonly string[], { create }: WayOutOptions, variant: Variant): Issue[] =>
  THINGS.filter(
    ({ title, kind }) =>
      !create?.kinds.has(kind) && reasons.some((one) => one.startsWith(unknownName(title)) && !isMisspelt(one)),
  ).map(({ kind, of, title, command }) => ({
    field: `--create-missing=${[...(create?.kinds ?? []), kind].join(',')}`,
    message: `creates the ${title}s that are not there${verbsIn(variant, of).includes('add') ? `, or create them with ${command}` : ''}`,
  }))

const [, ...CHOICES] = ON_DUPLICATE

/** Says how to settle rows of the same key. */
const choosing = (reasons: readonly string[], { onDuplicate }: WayOutOptions): Issue[] =>
  onDuplicate === 'error' && reasons.some(isOnLines)
    ? [{ field: '--on-duplicate', message: `makes one entry of rows with the same key: ${CHOICES.join(', ')}` }]
    : []

/** Returns the flags that settle the reasons for rejects, and what each does. */
export const waysOut = ({ shown }: CountedReasons, options: WayOutOptions, variant: Variant): Issue[] => {
  const reasons = shown.map(({ reason }) => reason)
  return [...creating(reasons, options, variant), ...choosing(reasons, options)]
}

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
  /** Ends the work where it asks to. */
  readonly signal: AbortSignal
  readonly advice?: (reasons: CountedReasons) => readonly Issue[]
}

/** Describes a file of entries, of which some rows are rejects. */
type RejectedEntries = Omit<Rejected, 'advice'> & {
  readonly options: ImportOptions
  readonly variant: Variant
  readonly reference: Pick<Reference, 'lacksAssignments'>
}

/** Returns the rejects of a file of entries, with what may be done about them. */
export const rejectedEntries = ({ rejects, options, signal, variant, reference }: RejectedEntries): Rejected => ({
  rejects,
  options,
  signal,
  advice: (reasons) => [...waysOut(reasons, options, variant), ...(reference.lacksAssignments() ? [ASSIGN_FIRST] : [])],
})

/** Tells whether more rows are rejected than `--max-errors` allows; a percentage counts once all rows have been read. */
const areTooMany = (maxErrors: MaxErrors | undefined, rejects: Rejects, read: number, isWhole: boolean): boolean =>
  maxErrors !== undefined && (isWhole || 'count' in maxErrors) && rejects.count() > mostOf(maxErrors, read)

/**
 * Tells whether a file is to be refused before anything is sent, because too many of its rows are bad: `--max-errors 50`
 * while it is read, `--max-errors 5%` once all of it has been read.
 */
export const hasTooManyBad = (
  { read }: { readonly read: number },
  { rejects, options: { maxErrors } }: Rejected,
  isWhole = false,
): boolean => rejects.isFull() || areTooMany(maxErrors, rejects, read, isWhole)

/** Returns the error that ends a run whose rejects have more reasons than are kept. */
export const tooMuchRejected = (rejects: Rejects, before = '', issues: readonly Issue[] = []): KpiError =>
  new KpiError(
    'malformed',
    `${before}${countedText(rejects.count(), 'row is', 'rows are')} bad, and their reasons take more than ${MOST_BYTES / 1024 ** 2} MiB; --max-errors 1000 ends sooner and shows the most frequent`,
    { issues },
  )

/** Refuses a file with too many bad rows before anything is sent, with the reasons. */
export const requireFewBad = async (
  summary: { readonly read: number },
  of: Rejected,
  isWhole = false,
): Promise<void> => {
  if (!hasTooManyBad(summary, of, isWhole)) return
  const { rejects, options, advice = () => [], signal } = of
  const reasons = await countReasons(rejects, signal)
  const issues = [...reasonIssues(reasons), ...advice(reasons)]
  const many = `nothing was sent: ${countText(rejects.count())} of ${isWhole ? '' : 'the first '}${countedText(summary.read, 'row')} ${nounOf(rejects.count(), 'is', 'are')} bad`
  if (options.maxErrors === undefined || rejects.isFull()) throw tooMuchRejected(rejects, 'nothing was sent: ', issues)
  const all = { field: '--dry-run', message: 'without --max-errors shows all of them' }
  throw tooMany(options.maxErrors, many, [...issues, all])
}

/** Returns the error that ends a run once more rows are rejected than allowed, in the file or by the service. */
export const tooManyRejected = (
  rejects: Rejects,
  { read }: { readonly read: number },
  maxErrors: MaxErrors | undefined,
): KpiError | undefined => {
  if (!maxErrors) return undefined
  const most = mostOf(maxErrors, read)
  if (rejects.count() <= most) return undefined
  return tooMany(maxErrors, `more than ${countText(most)} of ${countedText(read, 'row')} were rejected`)
}
