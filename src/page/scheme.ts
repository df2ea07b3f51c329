/** Names how a page can look; `print` is black on white. */
type Scheme = 'light' | 'dark' | 'print'

const root = document.documentElement
const probe = document.createElement('span')
probe.hidden = true

let colours = new Map<string, string>()

/** Returns the colour that a variable of the style has now, for what is drawn on a canvas. */
export const colourOf = (name: string): string => {
  const known = colours.get(name)
  if (known !== undefined) return known
  if (!probe.isConnected) document.body.append(probe)
  probe.style.color = `var(--${name})`
  const { color } = getComputedStyle(probe)
  colours.set(name, color)
  return color
}

const apply = (scheme: Scheme | undefined): void => {
  if (scheme === undefined) delete root.dataset['scheme']
  else root.dataset['scheme'] = scheme
  colours = new Map()
}

/** Lets a page look as the system does, or as chosen. */
export class Appearance {
  #chosen: 'light' | 'dark' | undefined
  readonly #redraw: () => void

  constructor(redraw: () => void) {
    this.#redraw = redraw
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#show(this.#chosen))
  }

  /** Follows a choice; anything but light and dark means the system's. */
  choose(choice: string): void {
    this.#chosen = choice === 'light' || choice === 'dark' ? choice : undefined
    this.#show(this.#chosen)
  }

  beginPrint(): void {
    this.#show('print')
  }

  endPrint(): void {
    this.#show(this.#chosen)
  }

  #show(scheme: Scheme | undefined): void {
    apply(scheme)
    this.#redraw()
  }
}
