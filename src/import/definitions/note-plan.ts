import { nearNames, warningsOnNearNames } from '../../changes/names/near-names.ts'
import type { Plan } from '../../changes/plan/plan.ts'
import { desiredName } from '../../changes/records/desired.ts'
import type { Snapshot } from '../../changes/records/snapshot.ts'
import { pauseEvery } from '../../client/next-turn.ts'
import { notesOnDefaults } from '../../domain/schema.ts'
import type { ImportRun } from '../import-types.ts'
import type { DefinitionKind } from './kinds.ts'

/** Holds what notes on a plan need. */
type Noting = Pick<ImportRun, 'signal' | 'onNote' | 'onWarning'> & {
  readonly kind: DefinitionKind
  readonly snapshot: Snapshot
}

const KEPT_PASSWORDS =
  'passwords of people who exist already are left alone: they are taken only when people are created'

/** Sets how many names are compared before signals and timers run. */
const NAMES_OF_TURN = 500

/** Notes that passwords of existing people are not changed. */
export const tellPasswords = ({ onNote, kind }: Noting, { planned }: Plan): void => {
  const secrets = kind.kind.fields.filter(({ field }) => field.secret).map(({ name }) => name)
  const isKept = planned.some(({ record, desired }) => record?.stored && secrets.some((name) => name in desired.values))
  if (isKept) onNote(KEPT_PASSWORDS)
}

/**
 * Warns of new names that are nearly known ones, as a mistyped name would make another record and leave the meant one as
 * it is; notes defaults that depend on what new records refer to.
 */
export const tellNewRecords = async (
  { kind: { of, kind }, snapshot, onNote, onWarning, signal }: Noting,
  { planned }: Plan,
): Promise<void> => {
  const created = planned.filter(({ action }) => action === 'create')
  const known = snapshot.ofKind(kind.name).flatMap(({ stored, name }) => (stored ? name : []))
  const names = created.map(({ desired }) => desiredName(desired))
  const near = await nearNames(of.title, names, known, pauseEvery(NAMES_OF_TURN, signal))
  for (const warning of warningsOnNearNames(near)) onWarning(warning)
  const defaults = created.flatMap(({ changes }) => changes.map((one) => one.defaults ?? {}))
  for (const note of notesOnDefaults(of, defaults, () => false)) onNote(note)
}
