import type { PageValue } from '../domain/analysis/page-data.ts'
import { type State, stateOf } from '../domain/analysis/state.ts'
import type { Decimal } from '../domain/decimal.ts'
import { type DayRange, nextPeriod } from '../domain/period.ts'
import { drawChart } from './chart.ts'
import { element, pathIcon } from './dom.ts'
import type { LazyCharts } from './lazy-charts.ts'
import { periodLabel } from './period-label.ts'
import { changeText, type Headline, percentText, type Series, valuesWithin } from './series.ts'

/** Draws the signs of the states as paths, because not every font has characters for them. */
const SHOWN: Readonly<Record<State, { readonly sign: string; readonly words: string; readonly name: string }>> = {
  met: { sign: 'M3 8.5 6.5 12 13 4.5', words: 'Met', name: 'met' },
  near: { sign: 'M2.5 9.5C4.5 5.5 6.5 5.5 8 8s3.5 2.5 5.5-1.5', words: 'Near', name: 'near' },
  missed: { sign: 'M4 4l8 8M12 4l-8 8', words: 'Missed', name: 'missed' },
  'no target': { sign: 'M4 8h8', words: 'No target', name: 'none' },
}

/** Returns the words for a state. */
export const stateWords = (state: State): string => SHOWN[state].words

/** Returns the parts that show a state: a sign, and the words for it. */
export const stateParts = (state: State): Element[] => [
  pathIcon(SHOWN[state].sign),
  element('span', {}, stateWords(state)),
]

/** Returns the class of what shows a state. */
export const stateClass = (state: State): string => `state ${SHOWN[state].name}`

const stateBadge = (state: State): HTMLElement =>
  element('span', { class: `badge ${stateClass(state)}` }, ...stateParts(state))

const written = (format: Series['format'], value: Decimal | null): string => (value === null ? '–' : format(value))

const fact = (name: string, value: string): HTMLElement =>
  element('div', {}, element('dt', {}, name), element('dd', {}, value))

const WAYS = { U: 'higher is better', D: 'lower is better', N: '' } as const

/** Returns the facts below the value: target, progress, and the change on the value before. */
const factsOf = ({ kpi, format, until }: Series, { latest, progress, before }: Headline): HTMLElement => {
  const facts = element('dl', { class: 'facts' })
  const target = latest?.target ?? null
  if (target !== null) facts.append(fact(kpi.direction === 'D' ? 'Target, at most' : 'Target', format(target)))
  if (progress !== null) facts.append(fact('Progress', percentText(progress)))
  const [now, then] = [latest?.actual ?? null, before?.actual ?? null]
  if (latest && now !== null && before && then !== null) {
    const isOver = nextPeriod(kpi.periodId, latest.day) - 1 <= until
    const name = `Since ${periodLabel(kpi.periodId, before.day)}${isOver ? '' : `, up to ${periodLabel('D', until)}`}`
    facts.append(fact(name, changeText(format, now, then)))
  }
  return facts
}

const cell = (text: string, isNumber = false): HTMLElement => element('td', isNumber ? { class: 'number' } : {}, text)

const tableRow = ({ kpi, format }: Series, value: PageValue): HTMLElement => {
  const { day, actual, target, notes } = value
  const state = stateOf({ ...value, direction: kpi.direction })
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, periodLabel(kpi.periodId, day)),
    cell(written(format, actual), true),
    cell(written(format, target), true),
    element('td', { class: stateClass(state) }, ...stateParts(state)),
    cell(notes ?? ''),
  )
}

const tableOf = (series: Series, values: readonly PageValue[]): HTMLElement => {
  const heading = ['Period', 'Value', 'Target', 'State', 'Notes'].map((name) =>
    element('th', { scope: 'col', ...(name === 'Value' || name === 'Target' ? { class: 'number' } : {}) }, name),
  )
  const caption = element('caption', { class: 'unseen' }, `${series.kpi.name}, ${series.item}`)
  const rows = values.toReversed().map((value) => tableRow(series, value))
  return element(
    'table',
    {},
    caption,
    element('thead', {}, element('tr', {}, ...heading)),
    element('tbody', {}, ...rows),
  )
}

/** Returns the table of a series, which is made when it is opened. */
const detailsOf = (series: Series, values: readonly PageValue[]): HTMLElement => {
  const about = element('span', { class: 'unseen' }, ` of ${series.kpi.name}, ${series.item}`)
  const summary = element('summary', {}, `Table of ${values.length} ${values.length === 1 ? 'value' : 'values'}`, about)
  const details = element('details', {}, summary)
  const fill = (): void => {
    if (!details.open || details.childElementCount > 1) return
    // A table that is wider than its card is scrolled, with keys too.
    const label = `Values of ${series.kpi.name}, ${series.item}`
    details.append(
      element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label }, tableOf(series, values)),
    )
  }
  details.addEventListener('toggle', fill)
  return details
}

const readingOf = ({ kpi, format }: Series, { day, actual, target }: PageValue): string => {
  const against = target === null ? '' : `, target ${format(target)}`
  return `${periodLabel(kpi.periodId, day)}: ${written(format, actual)}${against}`
}

const figureOf = (series: Series, values: readonly PageValue[], charts: LazyCharts): HTMLElement => {
  const { kpi, item } = series
  const [first, last] = [values[0], values.at(-1)]
  const days = first && last ? [first, last].map(({ day }) => periodLabel(kpi.periodId, day)).join(' to ') : ''
  const label = `Chart of ${kpi.name}, ${item}, ${days}. The table below has the same values.`
  const host = element('div', { class: 'plot', role: 'img', 'aria-label': label })
  const keys = [element('span', { class: 'key value' }, 'Value')]
  if (values.some(({ target }) => target !== null)) keys.push(element('span', { class: 'key target' }, 'Target'))
  const caption = element('figcaption', {}, ...keys)
  const onPoint = (at: number | null): void => {
    const value = at === null ? undefined : values[at]
    caption.replaceChildren(...(value ? [readingOf(series, value)] : keys))
  }
  charts.add(host, (into, size) => drawChart(into, size, series, values, onPoint))
  return element('figure', {}, host, caption)
}

/** Describes which name heads a card; the other one heads the group of cards that it is in. */
export type CardTitle = 'kpi' | 'item'

/** Returns the card of a KPI and item: headline, chart, and table. */
export const cardOf = (
  series: Series,
  headline: Headline,
  range: DayRange,
  title: CardTitle,
  charts: LazyCharts,
): HTMLElement => {
  const { kpi, item, format } = series
  const { latest, state } = headline
  const values = valuesWithin(series, range)
  const about = [latest ? periodLabel(kpi.periodId, latest.day) : 'No value in these days', WAYS[kpi.direction]]
  return element(
    'article',
    { class: 'card' },
    element('div', { class: 'top' }, element('h3', {}, title === 'kpi' ? kpi.name : item), stateBadge(state)),
    element('p', { class: 'latest' }, written(format, latest?.actual ?? null)),
    element('p', { class: 'when' }, about.filter((text) => text !== '').join(' · ')),
    factsOf(series, headline),
    ...(values.length === 0 ? [] : [figureOf(series, values, charts), detailsOf(series, values)]),
  )
}
