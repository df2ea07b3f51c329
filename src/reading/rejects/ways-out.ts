import { DID_YOU_MEAN, unknownName } from '../../client/directory.ts'
import type { Issue } from '../../domain/errors.ts'
import { breakdownItem } from '../../domain/resources/breakdowns.ts'
import { kpi } from '../../domain/resources/kpi.ts'
import { user } from '../../domain/resources/user.ts'
import type { Resource } from '../../domain/schema.ts'
import { type Variant, verbsIn } from '../../domain/variants.ts'
import { type Creatable, type ImportOptions, ON_DUPLICATE } from '../options/options.ts'
import { isOnLines } from './on-lines.ts'
import type { CountedReasons } from './reason-counts.ts'

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
