import { nearNames, warningsOnNearNames } from '../../changes/names/near-names.ts'
import { pauseEvery } from '../../client/next-turn.ts'
import { notesOnDefaults } from '../../domain/schema.ts'
import type { ImportRun } from '../import-types.ts'
import type { ExistingDefinitions } from './existing.ts'
import type { DefinitionKind } from './kinds.ts'
import type { DefinitionAction, SentDefinition } from './plan.ts'

/** Holds what notes on a plan need. */
type Noting = Pick<ImportRun, 'signal' | 'onNote' | 'onWarning'> & { readonly kind: DefinitionKind }

const KEPT_PASSWORDS =
  'passwords of people who exist already are left alone: they are taken only when people are created'

/** Sets how many names are compared before signals and timers run. */
const NAMES_OF_TURN = 500

/** Warns of new names that are nearly known ones: a mistyped name would make another record, and leave the meant one as it is. */
export const warnOfNearNames = async (
  { kind, onWarning, signal }: Noting,
  existing: ExistingDefinitions,
  plans: readonly DefinitionAction[],
): Promise<void> => {
  const names = plans.flatMap(({ action, row }) => (action === 'create' ? [row.key] : []))
  const pause = pauseEvery(NAMES_OF_TURN, signal)
  const near = await nearNames(kind.of.title, names, existing.keys(), pause)
  for (const warning of warningsOnNearNames(near)) onWarning(warning)
}

/** Notes that passwords of existing people are not changed. */
export const tellPasswords = ({ onNote, kind }: Noting, plans: readonly DefinitionAction[]): void => {
  const secrets = kind.of.writable.filter(({ field }) => field.secret).map(({ name }) => name)
  if (plans.some((plan) => 'held' in plan && secrets.some((name) => name in plan.row.values))) onNote(KEPT_PASSWORDS)
}

/** Notes defaults that depend on what new records refer to. */
export const tellDefaults = ({ onNote, kind }: Noting, plans: readonly DefinitionAction[]): void => {
  const created = plans.filter((one): one is SentDefinition => one.action === 'create')
  const isGiven = (at: number, name: string): boolean => (created[at]?.row.values[name] ?? null) !== null
  for (const note of notesOnDefaults(kind.of, created.map(({ values }) => values), isGiven)) onNote(note) // prettier-ignore
}
