import { pauseEvery } from '../../client/next-turn.ts'
import { nearNames, warningsOnNearNames } from '../names/near-names.ts'
import { desiredName } from '../records/desired.ts'
import type { KindName } from '../records/kind-fields.ts'
import type { Snapshot } from '../records/snapshot.ts'
import type { Planned } from './plan.ts'

/** Sets how many names are compared before signals and timers run. */
const NAMES_OF_TURN = 500

/** Holds what looking for near names needs. */
type Looking = {
  readonly snapshot: Snapshot
  readonly signal: AbortSignal
  readonly onWarning: (text: string) => void
}

/**
 * Warns of new names that are nearly known ones, as a mistyped name would make another record and leave the meant one as
 * it is. Names are compared with others of their group, or with all of a kind, which messages call by a title.
 */
export const warnOfNearNames = async (
  { snapshot, signal, onWarning }: Looking,
  created: readonly Planned[],
  all?: { readonly kind: KindName; readonly title: string },
): Promise<void> => {
  const pause = pauseEvery(NAMES_OF_TURN, signal)
  const groupOf = ({ desired: { kind }, record }: Planned): string =>
    all ? kind.name : `${kind.name} ${record?.above['group']?.serial ?? ''}`
  const named = created.filter(({ desired }) => desiredName(desired) !== '')
  for (const [first, ...more] of Map.groupBy(named, groupOf).values()) {
    if (!first) continue
    const { name, of } = first.desired.kind
    const known = snapshot.ofKind(name).flatMap((one) => {
      const isBeside = all !== undefined || one.above['group'] === first.record?.above['group']
      return one.stored && isBeside ? one.name : []
    })
    const names = [first, ...more].map(({ desired }) => desiredName(desired))
    const near = await nearNames(all?.title ?? of.title, names, known, pause)
    for (const warning of warningsOnNearNames(near)) onWarning(warning)
  }
}
