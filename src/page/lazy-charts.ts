import type UPlot from 'uplot'
import { type ChartSize, PAPER, screenSize } from './chart.ts'

type Draw = (host: HTMLElement, size: ChartSize) => UPlot

/** Draws charts when they come into view, and all of them for printing. */
export class LazyCharts {
  readonly #waiting = new Map<Element, Draw>()
  readonly #drawn = new Map<Element, UPlot>()
  readonly #seen = new IntersectionObserver((entries) => this.#drawSeen(entries), { rootMargin: '300px' })
  readonly #resized = new ResizeObserver((entries) => {
    for (const { target, contentRect } of entries) this.#fit(target, contentRect.width)
  })

  add(host: HTMLElement, draw: Draw): void {
    this.#waiting.set(host, draw)
    this.#seen.observe(host)
  }

  /** Forgets all charts, as the page is about to show others. */
  clear(): void {
    this.#seen.disconnect()
    this.#resized.disconnect()
    for (const chart of this.#drawn.values()) chart.destroy()
    this.#waiting.clear()
    this.#drawn.clear()
  }

  /** Draws everything again, in the colours that hold now. */
  redraw(): void {
    for (const chart of this.#drawn.values()) chart.redraw(false)
  }

  /** Draws all charts, in the size that they have on paper. */
  beginPrint(): void {
    this.#resized.disconnect()
    for (const chart of this.#drawn.values()) chart.setSize(PAPER)
    for (const host of this.#waiting.keys()) this.#draw(host, PAPER)
  }

  /** Fits all charts into the screen again, and forgets those whose cards were only there for printing. */
  endPrint(): void {
    for (const host of this.#drawn.keys()) {
      if (host.isConnected) this.#resized.observe(host)
      else this.#forget(host)
    }
  }

  #forget(host: Element): void {
    this.#drawn.get(host)?.destroy()
    this.#drawn.delete(host)
  }

  #drawSeen(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) if (isIntersecting) this.#drawOnScreen(target)
  }

  #drawOnScreen(host: Element): void {
    if (!this.#waiting.has(host)) return
    this.#draw(host, screenSize(host.clientWidth))
    this.#resized.observe(host)
  }

  #draw(host: Element, size: ChartSize): void {
    const draw = this.#waiting.get(host)
    if (!draw || !(host instanceof HTMLElement)) return
    this.#waiting.delete(host)
    this.#seen.unobserve(host)
    this.#drawn.set(host, draw(host, size))
  }

  #fit(host: Element, width: number): void {
    const chart = this.#drawn.get(host)
    if (chart && width >= 1) chart.setSize(screenSize(Math.floor(width)))
  }
}
