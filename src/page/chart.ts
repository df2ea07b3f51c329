import { LANGUAGE } from './number-signs.ts'
import UPlot from 'uplot'
import type { PageValue } from '../domain/analysis/page-data.ts'
import { civil, type Day } from '../domain/day.ts'
import { type Decimal, FRACTION_DIGITS } from '../domain/decimal.ts'
import { axisLabel } from './period-label.ts'
import { colourOf } from './scheme.ts'
import type { Series } from './series.ts'

export type ChartSize = { readonly width: number; readonly height: number }

/** Sets the size of charts on the screen, where the width follows from the card, and on paper, two beside each other. */
const SCREEN_HEIGHT = 168
export const PAPER: ChartSize = { width: 310, height: 116 }
const FONT = '12px system-ui, sans-serif'
/** Sets about how many pixels a label below the axis takes. */
const LABEL_WIDTH = 76
const CHARACTER_WIDTH = 7
/** Bounds the values that are drawn with a thick line. */
const MANY_VALUES = 150

const compact = new Intl.NumberFormat(LANGUAGE, { notation: 'compact', maximumFractionDigits: 2 })

/** Returns a decimal as a point on a canvas needs it, which is the only place where it is not exact. */
const drawn = (value: Decimal | null): number | null => (value === null ? null : Number(value) / 10 ** FRACTION_DIGITS)

/** Returns the days to be named below the axis: some of those that have values, evenly chosen. */
const labelledDays = (days: readonly Day[], width: number): Day[] => {
  const wanted = Math.max(1, Math.floor(width / LABEL_WIDTH))
  const step = Math.ceil(days.length / wanted)
  return days.filter((_, at) => (days.length - 1 - at) % step === 0)
}

const xAxis = ({ kpi }: Series, days: readonly Day[]): UPlot.Axis => {
  const years = new Set(days.map((day) => civil(day).year))
  return {
    stroke: () => colourOf('muted'),
    font: FONT,
    grid: { show: false },
    ticks: { stroke: () => colourOf('rule'), width: 1, size: 4 },
    size: 28,
    splits: (plot) => labelledDays(days, plot.width - 60),
    values: (_, splits) => splits.map((day) => axisLabel(kpi.periodId, day, years.size === 1)),
  }
}

const yAxis = (): UPlot.Axis => ({
  stroke: () => colourOf('muted'),
  font: FONT,
  grid: { stroke: () => colourOf('rule'), width: 1 },
  ticks: { show: false },
  space: 36,
  gap: 8,
  size: (_, values) => Math.max(0, ...(values ?? []).map((text) => text.length)) * CHARACTER_WIDTH + 12,
  values: (_, splits) => splits.map((value) => compact.format(value)),
})

const actualLine = (values: number): UPlot.Series => ({
  stroke: () => colourOf('line'),
  fill: () => colourOf('area'),
  width: values > MANY_VALUES ? 1.25 : 2,
  points: { size: 6, width: 2, fill: () => colourOf('card') },
})

/** Returns the line of the targets: a step for each period, as long as the plot is wide. */
const targetLine = (): UPlot.Series => {
  const paths = UPlot.paths.stepped?.({ align: 1, extend: true })
  return {
    stroke: () => colourOf('target'),
    width: 1.5,
    dash: [6, 4],
    points: { show: false },
    ...(paths && { paths }),
  }
}

/** Leaves some room beside the first and last value. */
const withRoom = (_: UPlot, first: number, last: number): UPlot.Range.MinMax => {
  const room = first === last ? 1 : (last - first) * 0.02
  return [first - room, last + room]
}

/**
 * Draws the chart of a series into an element of the page. `onPoint` gets the place of the value under the pointer, or
 * null where there is none.
 */
export const drawChart = (
  host: HTMLElement,
  size: ChartSize,
  series: Series,
  values: readonly PageValue[],
  onPoint: (at: number | null) => void,
): UPlot => {
  const days = values.map(({ day }) => day)
  const actuals = values.map(({ actual }) => drawn(actual))
  const targets = values.map(({ target }) => drawn(target))
  const options: UPlot.Options = {
    ...size,
    padding: [8, LABEL_WIDTH / 3, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
    scales: { x: { time: false, range: withRoom } },
    axes: [xAxis(series, days), yAxis()],
    series: [{}, actualLine(days.length), targetLine()],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  }
  return new UPlot(options, [days, actuals, targets], host)
}

/** Returns the size of a chart on the screen in an element of this width. */
export const screenSize = (width: number): ChartSize => ({ width, height: SCREEN_HEIGHT })
