import { countOf } from './number-signs.ts'
import type { DayRange } from '../domain/period.ts'
import { cardOf, type CardTitle } from './card.ts'
import { element } from './dom.ts'
import type { LazyCharts } from './lazy-charts.ts'
import type { Result } from './results.ts'

/** Bounds the cards of a group that are shown at once; the others are one click away. */
const CARDS_AT_ONCE = 12

/** Bounds the cards that are printed, unless the screen has more of them already. */
const CARDS_ON_PAPER = 500

type MakeCard = (result: Result) => HTMLElement

/** Shows results below a heading: the first cards, and a button for the others. */
class CardGroup {
  readonly section: HTMLElement
  readonly #results: readonly Result[]
  readonly #makeCard: MakeCard
  readonly #cards = element('div', { class: 'cards' })
  readonly #notPrinted = element('p', { class: 'paper' })
  #onScreen = 0

  constructor(heading: readonly HTMLElement[], results: readonly Result[], makeCard: MakeCard, onMore: () => void) {
    this.#results = results
    this.#makeCard = makeCard
    this.section = element('section', {}, element('div', { class: 'heading' }, ...heading), this.#cards)
    this.#addToScreen(CARDS_AT_ONCE)
    if (this.#rest > 0) this.section.append(this.#moreButton(onMore), this.#notPrinted)
  }

  get cards(): number {
    return this.#cards.childElementCount
  }

  /** Adds at most so many cards until `removePrinted`, and returns how many it added. */
  addPrinted(limit: number): number {
    const added = this.#add(limit).length
    this.#notPrinted.textContent = this.#rest > 0 ? `${countOf(this.#rest)} more are not printed.` : ''
    return added
  }

  removePrinted(): void {
    while (this.cards > this.#onScreen) this.#cards.lastElementChild?.remove()
  }

  get #rest(): number {
    return this.#results.length - this.cards
  }

  #add(limit: number): HTMLElement[] {
    const added = this.#results.slice(this.cards, this.cards + limit).map(this.#makeCard)
    this.#cards.append(...added)
    return added
  }

  #addToScreen(limit: number): HTMLElement | undefined {
    const [first] = this.#add(limit)
    this.#onScreen = this.cards
    return first
  }

  #moreButton(onMore: () => void): HTMLElement {
    const attributes = { type: 'button', class: 'more' }
    const button = element('button', attributes, `Show ${countOf(this.#rest)} more`)
    button.addEventListener('click', () => {
      const first = this.#addToScreen(this.#rest)?.querySelector('h3')
      button.remove()
      first?.setAttribute('tabindex', '-1')
      first?.focus()
      onMore()
    })
    return button
  }
}

const kpiHeading = ({ kpi }: Result['series'], count: number): HTMLElement[] => [
  element('h2', {}, kpi.name),
  element(
    'p',
    {},
    [kpi.kpiDescription ?? '', `${countOf(count)} ${count === 1 ? 'item' : 'items'}`]
      .filter((text) => text !== '')
      .join(' · '),
  ),
]

/** Shows results as groups of cards: the KPIs of an item where one is meant, else the items of each KPI. */
export class CardGroups {
  readonly element = element('div', { class: 'results' })
  readonly #charts: LazyCharts
  readonly #onMore: () => void
  #groups: readonly CardGroup[] = []

  constructor(charts: LazyCharts, onMore: () => void) {
    this.#charts = charts
    this.#onMore = onMore
  }

  /** Returns how many cards there are at the moment. */
  get cards(): number {
    return this.#groups.reduce((sum, group) => sum + group.cards, 0)
  }

  show(results: readonly Result[], range: DayRange): void {
    this.#charts.clear()
    this.#groups = this.#groupsOf(results, range)
    const notice = element('p', { class: 'notice' }, 'Nothing found for this choice.')
    this.element.replaceChildren(...(results.length === 0 ? [notice] : this.#groups.map(({ section }) => section)))
  }

  /** Adds the cards that the screen leaves out, up to a bound. */
  beginPrint(): void {
    let room = Math.max(0, CARDS_ON_PAPER - this.cards)
    for (const group of this.#groups) room -= group.addPrinted(room)
  }

  endPrint(): void {
    for (const group of this.#groups) group.removePrinted()
  }

  #groupsOf(results: readonly Result[], range: DayRange): CardGroup[] {
    const items = new Set(results.map(({ series }) => series.itemAt))
    const grouped = Map.groupBy(results, ({ series }) => (items.size === 1 ? 'one item' : series.kpiAt))
    return [...grouped.values()].flatMap((ofGroup) => {
      const series = ofGroup[0]?.series
      if (!series) return []
      const [heading, title]: [HTMLElement[], CardTitle] =
        items.size === 1 ? [[element('h2', {}, series.item)], 'kpi'] : [kpiHeading(series, ofGroup.length), 'item']
      const makeCard = (result: Result) => cardOf(result.series, result.headline, range, title, this.#charts)
      return [new CardGroup(heading, ofGroup, makeCard, this.#onMore)]
    })
  }
}
