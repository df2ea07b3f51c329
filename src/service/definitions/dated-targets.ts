import { targetOn } from '../../domain/targets/dated-targets.ts'
import { dayOfInstant, type Instant } from '../../domain/day.ts'
import type { Decimal } from '../../domain/decimal.ts'
import { KpiError } from '../../domain/errors.ts'
import type { Settling } from '../collection.ts'

/** Describes what is stored of dated targets, and what bodies may hold besides. */
type Dated = { readonly targets?: string | null; readonly target_base?: Decimal | null }

/** Refuses to replace other dated targets than those that were read. */
const requireAsRead = (changes: object, sent: { readonly targets_before?: string | null }, before: Dated): void => {
  const [read, stored] = [sent.targets_before, before.targets ?? null]
  if (read === undefined || !('targets' in changes) || read === stored) return
  const message = `are ${stored ?? 'none'} by now, and not ${read ?? 'none'}; read them again`
  throw new KpiError('conflict', `targets: ${message}`, { issues: [{ field: 'targets', message }] })
}

/**
 * Returns a record as it is shown: the field with the plain target shows the one of today and, where there are dated ones,
 * `target_base` the stored one, which counts before the first of them. Days are those of UTC.
 */
export const showToday = <Name extends string, T extends Dated & Readonly<Record<Name, Decimal | null>>>(
  record: T,
  name: Name,
  now: Instant,
): T => {
  const base: Decimal | null = record[name]
  const today = targetOn({ base, targets: record.targets }, dayOfInstant(now))
  return { ...record, [name]: today, target_base: (record.targets ?? null) === null ? null : base }
}

/**
 * Returns what changes of a target mean for the stored record: a base given by its own name wins, and no target means that
 * there is none on any day, unless the dated ones are given, too. A target that is shown already is meant for the days
 * without a dated one where the dated ones that are given with it would show another.
 */
export const settleTargets = <Name extends string>(
  { target_base: base, ...changes }: Dated & Partial<Readonly<Record<Name, Decimal | null>>>,
  sent: object,
  name: Name,
  { before, now }: Settling,
): object => {
  if (before) requireAsRead(changes, sent, before)
  if (base !== undefined) return { ...changes, [name]: base }
  const isCleared = Reflect.get(changes, name) === null && !('targets' in sent)
  if (isCleared) return { ...changes, targets: null }
  const given: unknown = Reflect.get(sent, name)
  const isShown = before !== undefined && typeof given === 'bigint' && !(name in changes) && !('target_base' in sent)
  if (!isShown || changes.targets === undefined) return changes
  const stored: unknown = Reflect.get(before, name)
  const timeline = { base: typeof stored === 'bigint' ? stored : null, targets: changes.targets }
  return targetOn(timeline, dayOfInstant(now)) === given ? changes : { ...changes, [name]: given }
}
