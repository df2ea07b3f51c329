import { looseName } from '../../client/directory.ts'
import { nameFieldsOf } from '../../domain/kinds.ts'
import type { Pause } from '../../domain/pause.ts'
import { fullName } from '../../domain/resources/user.ts'
import { findDoubtfulNames } from '../names/doubtful-names.ts'
import { nearNames, warningsOnNearNames } from '../names/near-names.ts'
import type { AccountRecord, Snapshot } from '../records/snapshot.ts'
import { namesBeside, newNameIn } from './new-names.ts'
import type { Planned } from './plan.ts'
import type { Policy } from './policy.ts'

/** Names the whole name of a person, which no field holds. */
const WHOLE_NAME = 'full name'

const textOr = (value: unknown, other: unknown): string =>
  typeof value === 'string' ? value : typeof other === 'string' ? other : ''

/** Returns the whole name that an item gives a person; undefined if it is none that is new. */
const newWholeName = (one: Planned): string | undefined => {
  const [first, last] = [newNameIn(one, 'first_name'), newNameIn(one, 'last_name')]
  if (first === undefined && last === undefined) return undefined
  const stored = one.record?.stored
  return fullName({
    first_name: textOr(first, stored?.['first_name']),
    last_name: textOr(last, stored?.['last_name']) || null,
  })
}

const storedName = ({ stored }: AccountRecord, field: string): unknown =>
  field === WHOLE_NAME
    ? fullName({ first_name: textOr(stored?.['first_name'], ''), last_name: textOr(stored?.['last_name'], '') || null })
    : stored?.[field]

/**
 * Returns warnings about the names that the items of one kind give: of those that may stand for no value, of people whose
 * whole names look alike, and of new ones that nearly are those of what exists.
 */
export const warningsOnNames = async (
  snapshot: Snapshot,
  planned: readonly Planned[],
  policy: Policy,
  pause: Pause,
): Promise<string[]> => {
  const items = planned.filter(({ changes }) => changes.length > 0)
  const [first] = items
  if (!first) return []
  const { kind } = first.desired
  const { title } = kind.of
  const [fields, told, warnings] = [nameFieldsOf(kind.of), new Set<string>(), new Array<string>()]
  // People often have names that are nearly those of others; letters beyond ASCII may be mistaken ones.
  const mayBeMistyped = (name: string): boolean => !fields.includes('email') || /[^ -~]/.test(name)
  for (const field of fields.includes('first_name') ? [...fields, WHOLE_NAME] : fields) {
    const news = items.flatMap((one) => {
      const name = field === WHOLE_NAME ? newWholeName(one) : newNameIn(one, field)
      return name === undefined || name === '' ? [] : [{ one, name }]
    })
    const isOfOne = field === WHOLE_NAME || kind.identity.includes(field)
    const own = news.map(({ one }) => one)
    const known = isOfOne ? namesBeside(snapshot, own, kind, (record) => storedName(record, field)) : []
    const names = news.map(({ name }) => name)
    const areKpis = kind.name === 'kpi'
    const doubts = await findDoubtfulNames({ names, known, areKpis, areExact: field === WHOLE_NAME }, pause)
    for (const name of names) {
      const why = doubts.get(name)
      if (why === undefined || policy.isMeant(kind, field)) continue
      if (!told.has(name)) warnings.push(`the ${field} "${name}" of the ${title} ${why}`)
      told.add(name)
    }
    const fresh = news.flatMap(({ one, name }) => (one.action === 'create' && mayBeMistyped(name) ? [name] : []))
    const near = (await nearNames(title, fresh, known, pause)).filter(
      (one) => !told.has(one.name) && looseName(one.name) !== looseName(one.known),
    )
    warnings.push(...warningsOnNearNames(near, 'correct the name'))
  }
  return warnings
}
