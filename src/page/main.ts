import type { PageData } from '../domain/analysis/page-data.ts'
import { Controls } from './controls.ts'
import { element, labelled } from './dom.ts'
import { LazyCharts } from './lazy-charts.ts'
import { findResults, showResults } from './results.ts'
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

/** Prepares a page for paper: all charts, in black on white; and puts it back afterwards. */
const preparePrints = (appearance: Appearance, charts: LazyCharts): void => {
  addEventListener('beforeprint', () => {
    charts.beginPrint()
    appearance.beginPrint()
  })
  addEventListener('afterprint', () => {
    appearance.endPrint()
    charts.endPrint()
  })
}

const countText = (found: number, all: number): string => {
  const of = found === all ? '' : ` of ${all.toLocaleString('en')}`
  return `${found.toLocaleString('en')}${of} shown`
}

const showReport = (into: HTMLElement, data: PageData, all: readonly Series[]): void => {
  const charts = new LazyCharts()
  const appearance = new Appearance(() => charts.redraw())
  const results = element('div', { class: 'results' })
  const count = element('p', { class: 'found', role: 'status', 'aria-live': 'polite' })
  const show = (): void => {
    const selection = controls.selection()
    const found = findResults(all, selection)
    controls.showCounts(found.counts)
    const { from, to } = selection.range
    count.textContent = from > to ? 'The first day is after the last day.' : countText(found.results.length, all.length)
    showResults(results, found.results, selection.range, charts)
  }
  const controls = new Controls(data.range, data.calendar, data.items, show)
  document.querySelector('.page-header')?.append(appearanceChoice(appearance))
  into.append(controls.form, element('main', {}, count, results))
  preparePrints(appearance, charts)
  show()
}

const into = document.querySelector<HTMLElement>('#page')
const packed = document.querySelector('#report')?.textContent
if (into && packed) {
  // Trust the data: the program that wrote this file wrote it, too.
  const data: PageData = JSON.parse(packed)
  const all = readSeries(data)
  if (all.length > 0) showReport(into, data, all)
  else into.append(element('main', {}, element('p', { class: 'notice' }, 'There are no values in these days.')))
}
