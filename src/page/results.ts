import type { State } from '../domain/analysis/state.ts'
import { cardOf, type CardTitle } from './card.ts'
import type { Selection } from './controls.ts'
import { element } from './dom.ts'
import type { LazyCharts } from './lazy-charts.ts'
import { type Headline, headlineOf, searchable, type Series } from './series.ts'

/** Bounds the cards of a KPI that are shown at once; the others are one click away. */
const CARDS_AT_ONCE = 12

/** Pairs a series with how it stands in the chosen range. */
type Result = { readonly series: Series; readonly headline: Headline }

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

const makeCards = (results: readonly Result[], range: Selection['range'], title: CardTitle, charts: LazyCharts) =>
  results.map(({ series, headline }) => cardOf(series, headline, range, title, charts))

/** Returns a group of cards below a heading: the first of them, and a button for the others. */
const groupOf = (
  heading: readonly HTMLElement[],
  results: readonly Result[],
  range: Selection['range'],
  title: CardTitle,
  charts: LazyCharts,
): HTMLElement => {
  const cards = element('div', { class: 'cards' }, ...makeCards(results.slice(0, CARDS_AT_ONCE), range, title, charts))
  const group = element('section', {}, element('div', { class: 'heading' }, ...heading), cards)
  const rest = results.slice(CARDS_AT_ONCE)
  if (rest.length === 0) return group
  const more = element('button', { type: 'button', class: 'more' }, `Show ${rest.length.toLocaleString('en')} more`)
  more.addEventListener('click', () => {
    const added = makeCards(rest, range, title, charts)
    cards.append(...added)
    more.remove()
    const first = added[0]?.querySelector('h3')
    first?.setAttribute('tabindex', '-1')
    first?.focus()
  })
  group.append(more)
  return group
}

const kpiHeading = ({ kpi }: Series, count: number): HTMLElement[] => [
  element('h2', {}, kpi.name),
  element(
    'p',
    {},
    [kpi.kpiDescription ?? '', `${count.toLocaleString('en')} ${count === 1 ? 'item' : 'items'}`]
      .filter((text) => text !== '')
      .join(' · '),
  ),
]

/** Shows results: the KPIs of an item where one is meant, else the items of each KPI. */
export const showResults = (
  into: HTMLElement,
  results: readonly Result[],
  range: Selection['range'],
  charts: LazyCharts,
): void => {
  charts.clear()
  const first = results[0]
  if (!first) return into.replaceChildren(element('p', { class: 'notice' }, 'Nothing found for this choice.'))
  const items = new Set(results.map(({ series }) => series.itemAt))
  if (items.size === 1) {
    into.replaceChildren(groupOf([element('h2', {}, first.series.item)], results, range, 'kpi', charts))
    return
  }
  const groups = [...Map.groupBy(results, ({ series }) => series.kpiAt).values()].map((ofKpi) => {
    const heading = ofKpi[0] ? kpiHeading(ofKpi[0].series, ofKpi.length) : []
    return groupOf(heading, ofKpi, range, 'item', charts)
  })
  into.replaceChildren(...groups)
}
