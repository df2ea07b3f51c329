import { faultAt } from '../../../../codec/yaml-reader.ts'
import type { Issue } from '../../../../domain/errors.ts'
import type { Pause } from '../../../../domain/pause.ts'
import { findDoubtfulNames } from '../../../../changes/names/doubtful-names.ts'
import { nameFieldsOf } from '../../../../domain/kinds.ts'
import type { Change } from './changes.ts'
import { type Kind, KIND_NAMES, type KindName, kinds, sectionOf } from './kinds.ts'
import type { Things } from './things.ts'

type NewName = { readonly name: string; readonly line: number }

/** Returns the names that changes would store in a field. */
const newNamesOf = (changes: readonly Change[], field: string): NewName[] =>
  changes.flatMap(({ thing: { item }, fields }) => {
    const after = fields.find(({ config }) => config.name === field)?.after
    return item && typeof after === 'string' ? [{ name: after, line: item.lines[field] ?? item.line }] : []
  })

/** Returns the names that things of a kind, and of those whose names it shares, have in a field. */
const knownIn = (things: Things, { name: kind }: Kind, field: string): string[] => {
  const sharing: readonly KindName[] = kind === 'calculated_kpi' ? ['kpi', 'calculated_kpi'] : [kind]
  return sharing.flatMap(things.ofKind).flatMap(({ record }) => {
    const name = record?.[field]
    return typeof name === 'string' ? [name] : []
  })
}

/**
 * Returns the faults of names that a file would store and that may stand for no value, or look like others with letters
 * of another script or with signs that nobody can tell apart; `byName` holds the kinds of which the user said that they are meant.
 */
export const faultsOfNewNames = async (
  things: Things,
  changes: readonly Change[],
  byName: ReadonlySet<KindName>,
  pause: Pause,
): Promise<Issue[]> => {
  const faults: Issue[] = []
  for (const kindName of KIND_NAMES.filter((name) => !byName.has(name))) {
    const kind = kinds[kindName]
    const own = changes.filter(({ thing }) => thing.kind.name === kindName)
    for (const field of nameFieldsOf(kind.of)) {
      const news = newNamesOf(own, field)
      const areExact = field === 'name' || field === 'email'
      const known = areExact ? knownIn(things, kind, field) : []
      const names = news.map(({ name }) => name)
      const areKpis = kindName === 'kpi' || kindName === 'calculated_kpi'
      const doubts = await findDoubtfulNames({ names, known, areKpis, areExact }, pause)
      faults.push(
        ...news.flatMap(({ name, line }) => {
          const why = doubts.get(name)
          const way = `correct it, or --by-name ${sectionOf(kindName)} takes such names as they are`
          return why === undefined ? [] : [faultAt(line, `${field} "${name}" ${why}: ${way}`)]
        }),
      )
    }
  }
  return faults
}
