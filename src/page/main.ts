import { countOf, inReadersSigns } from './number-signs.ts'
import type { PageData } from '../domain/analysis/page-data.ts'
import { CardGroups } from './card-groups.ts'
import { Controls } from './controls.ts'
import { element, labelled } from './dom.ts'
import { LazyCharts } from './lazy-charts.ts'
import { findResults } from './results.ts'
import { Appearance } from './scheme.ts'
import { readSeries, type Series } from './series.ts'

const appearanceChoice = (appearance: Appearance): HTMLElement => {
  const names = ['System', 'Light', 'Dark']
  const choice = element('select', {}, ...names.map((name) => element('option', { value: name.toLowerCase() }, name)))
  choice.addEventListener('change', () => appearance.choose(choice.value))
  const label = labelled('Appearance', choice)
  label.classList.add('appearance')
  return label
}

/** Says how much of what was found is on paper; empty, if all of it is. */
const paperText = (cards: number, found: number): string => {
  const printed = `${countOf(cards)} of ${countOf(found)} are printed.`
  return cards === found ? '' : `${printed} To print others, choose fewer by search, item or state.`
}

const countText = (cards: number, found: number, all: number): string => {
  const [shown, matching, whole] = [cards, found, all].map((count) => countOf(count))
  if (cards < found && found < all) return `${matching} of ${whole} found, ${shown} of them shown`
  return cards === all ? `${shown} shown` : `${shown} of ${whole} shown`
}

/** Shows a report, and lets the reader choose what of it. */
class ReportView {
  readonly #all: readonly Series[]
  readonly #charts = new LazyCharts()
  readonly #appearance = new Appearance(() => this.#charts.redraw())
  readonly #groups = new CardGroups(this.#charts, () => this.#showCount())
  readonly #controls: Controls
  readonly #count = element('p', { class: 'found', role: 'status', 'aria-live': 'polite' })
  readonly #chosen = element('p', { class: 'chosen paper' })
  readonly #printed = element('p', { class: 'paper' })
  #found = 0

  constructor(data: PageData, all: readonly Series[]) {
    this.#all = all
    this.#controls = new Controls(data.range, data.calendar, data.items, () => this.#show())
  }

  open(into: HTMLElement): void {
    document.querySelector('.page-header')?.append(appearanceChoice(this.#appearance), this.#chosen)
    into.append(this.#controls.form, element('main', {}, this.#count, this.#printed, this.#groups.element))
    this.#show()
    this.#preparePrints()
  }

  #show(): void {
    const selection = this.#controls.selection()
    const { results, counts } = findResults(this.#all, selection)
    this.#found = results.length
    this.#controls.showCounts(counts)
    this.#chosen.textContent = this.#controls.chosenText()
    this.#groups.show(results, selection.range)
    this.#showCount()
  }

  #showCount(): void {
    const { from, to } = this.#controls.selection().range
    this.#count.textContent =
      from > to ? 'The first day is after the last day.' : countText(this.#groups.cards, this.#found, this.#all.length)
  }

  /** Prepares the page for paper: all cards and charts, in black on white; and puts it back afterwards. */
  #preparePrints(): void {
    let scrolled = 0
    addEventListener('beforeprint', () => {
      scrolled = scrollY
      this.#groups.beginPrint()
      this.#printed.textContent = paperText(this.#groups.cards, this.#found)
      this.#charts.beginPrint()
      this.#appearance.beginPrint()
    })
    addEventListener('afterprint', () => {
      this.#groups.endPrint()
      this.#appearance.endPrint()
      this.#charts.endPrint()
      scrollTo(scrollX, scrolled)
    })
  }
}

for (const cell of document.querySelectorAll('.answer td.number')) {
  cell.textContent = inReadersSigns(cell.textContent)
}
const into = document.querySelector<HTMLElement>('#page')
const packed = document.querySelector('#report')?.textContent
if (into && packed) {
  // Trust the data: the program that wrote this file wrote it, too.
  const data: PageData = JSON.parse(packed)
  const all = readSeries(data)
  if (all.length > 0) new ReportView(data, all).open(into)
  else into.append(element('main', {}, element('p', { class: 'notice' }, 'There are no values in these days.')))
}
