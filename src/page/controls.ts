import { countOf } from './number-signs.ts'
import { STATES, type State } from '../domain/analysis/state.ts'
import { type Day, formatDay, parseDay } from '../domain/day.ts'
import { type Calendar, type DayRange, periodStart } from '../domain/period.ts'
import { stateClass, stateParts, stateWords } from './card.ts'
import { element, labelled } from './dom.ts'

/** Describes what a page shows at the moment. */
export type Selection = {
  /** Holds the words that the names have to contain. */
  readonly search: string
  /** Holds the item's place in the list; undefined for all of them. */
  readonly item: number | undefined
  readonly range: DayRange
  /** Holds the states to show; all, if it is empty. */
  readonly states: ReadonlySet<State>
}

type Choice = { readonly name: string; readonly from: Day }

/** Returns quick choices of a range, each up to the last day; those that leave nothing out are dropped. */
const quickChoices = ({ from, to }: DayRange, calendar: Calendar): Choice[] => {
  const choices: Choice[] = [
    { name: 'Last 7 days', from: to - 6 },
    { name: 'Last 30 days', from: to - 29 },
    { name: 'Last 90 days', from: to - 89 },
    { name: 'Last 365 days', from: to - 364 },
    { name: 'Latest month', from: periodStart('M', to, calendar) },
    { name: 'Latest quarter', from: periodStart('Q', to, calendar) },
    { name: 'Latest year', from: periodStart('Y', to, calendar) },
  ]
  return [{ name: 'All days', from }, ...choices.filter((choice) => choice.from > from)]
}

const option = (value: string, text: string): HTMLOptionElement => element('option', { value }, text)

/** Lets the reader choose what a page shows. */
export class Controls {
  readonly form = element('form', { class: 'controls', role: 'search', 'aria-label': 'What is shown' })
  readonly #whole: DayRange
  readonly #search = element('input', { type: 'search', placeholder: 'KPI or item', autocomplete: 'off' })
  readonly #item = element('select', {})
  readonly #quick = element('select', {})
  readonly #from: HTMLInputElement
  readonly #to: HTMLInputElement
  readonly #states = new Map<State, { readonly button: HTMLButtonElement; readonly count: HTMLElement }>()

  constructor(whole: DayRange, calendar: Calendar, items: readonly string[], onChange: () => void) {
    this.#whole = whole
    const limits = { type: 'date', min: formatDay(whole.from), max: formatDay(whole.to) }
    this.#from = element('input', limits)
    this.#to = element('input', limits)
    this.#fillItems(items)
    this.#quick.append(...quickChoices(whole, calendar).map(({ name, from }) => option(formatDay(from), name)))
    this.#quick.append(option('', 'Other days'))
    this.#setRange(formatDay(whole.from))
    this.form.classList.toggle('one-item', items.length === 1)
    this.form.append(...this.#fields(items.length), this.#stateButtons(onChange))
    this.#listen(onChange)
  }

  selection(): Selection {
    const pressed = [...this.#states].filter(([, { button }]) => button.getAttribute('aria-pressed') === 'true')
    return {
      search: this.#search.value,
      item: this.#item.value === '' ? undefined : Number(this.#item.value),
      range: { from: parseDay(this.#from.value) ?? this.#whole.from, to: parseDay(this.#to.value) ?? this.#whole.to },
      states: new Set(pressed.map(([state]) => state)),
    }
  }

  /** Says in words what is chosen; empty, if that is everything. */
  chosenText(): string {
    const { search, item, range, states } = this.selection()
    const isWhole = range.from === this.#whole.from && range.to === this.#whole.to
    const parts = [
      ...(search.trim() === '' ? [] : [`"${search.trim()}"`]),
      ...(item === undefined ? [] : [this.#item.selectedOptions[0]?.text ?? '']),
      ...(isWhole ? [] : [`${formatDay(range.from)} to ${formatDay(range.to)}`]),
      ...[...states].map(stateWords),
    ]
    return parts.length === 0 ? '' : `Chosen: ${parts.join(', ')}`
  }

  /** Shows how many there are of each state. */
  showCounts(counts: ReadonlyMap<State, number>): void {
    for (const [state, { count }] of this.#states) count.textContent = countOf(counts.get(state) ?? 0)
  }

  #fields(items: number): HTMLElement[] {
    return [
      labelled('Search', this.#search),
      ...(items > 1 ? [labelled('Item', this.#item)] : []),
      labelled('Days', this.#quick),
      labelled('First day', this.#from),
      labelled('Last day', this.#to),
    ]
  }

  #fillItems(items: readonly string[]): void {
    const names = new Intl.Collator('en', { numeric: true })
    const sorted = items
      .map((name, at) => ({ name, at }))
      .sort((left, right) => names.compare(left.name, right.name) || left.at - right.at)
    this.#item.append(option('', `All ${countOf(items.length)} items`))
    this.#item.append(...sorted.map(({ name, at }) => option(String(at), name)))
  }

  #stateButtons(onChange: () => void): HTMLElement {
    const buttons = STATES.map((state) => {
      const count = element('span', { class: 'count' })
      const attributes = { type: 'button', 'aria-pressed': 'false', class: stateClass(state) }
      const button = element('button', attributes, ...stateParts(state), count)
      button.addEventListener('click', () => {
        button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true'))
        onChange()
      })
      this.#states.set(state, { button, count })
      return button
    })
    return element('div', { class: 'states', role: 'group', 'aria-label': 'Only these states' }, ...buttons)
  }

  #setRange(from: string): void {
    this.#from.value = from
    this.#to.value = formatDay(this.#whole.to)
  }

  #listen(onChange: () => void): void {
    this.form.addEventListener('submit', (event) => event.preventDefault())
    this.#search.addEventListener('input', onChange)
    this.#item.addEventListener('change', onChange)
    this.#quick.addEventListener('change', () => {
      if (this.#quick.value !== '') this.#setRange(this.#quick.value)
      onChange()
    })
    for (const day of [this.#from, this.#to]) {
      day.addEventListener('change', () => {
        const isToEnd = this.#to.value === formatDay(this.#whole.to)
        const isKnown = [...this.#quick.options].some(({ value }) => value === this.#from.value)
        this.#quick.value = isToEnd && isKnown ? this.#from.value : ''
        onChange()
      })
    }
  }
}
