import type { State } from '../domain/analysis/state.ts'
import type { Selection } from './controls.ts'
import { type Headline, headlineOf, searchable, type Series } from './series.ts'

/** Pairs a series with how it stands in the chosen range. */
export type Result = { readonly series: Series; readonly headline: Headline }

/** Describes what a selection finds: results, and how many there are of each state, whatever states are chosen. */
type Found = { readonly results: readonly Result[]; readonly counts: ReadonlyMap<State, number> }

/** Returns what a selection finds. */
export const findResults = (all: readonly Series[], { search, item, range, states }: Selection): Found => {
  const words = searchable(search)
    .split(/\s+/)
    .filter((word) => word !== '')
  const counts = new Map<State, number>()
  const results: Result[] = []
  for (const series of all) {
    if (item !== undefined && series.itemAt !== item) continue
    if (!words.every((word) => series.words.includes(word))) continue
    const headline = headlineOf(series, range)
    counts.set(headline.state, (counts.get(headline.state) ?? 0) + 1)
    if (states.size === 0 || states.has(headline.state)) results.push({ series, headline })
  }
  return { results, counts }
}
