/** One line of the result: what was measured, and how it stands to a limit measured in the same run. */
export type Figure = {
  readonly what: string
  readonly measured: number
  readonly unit: 'ms' | 's' | 'MB' | '/s' | 'requests' | 'times'
  readonly against: string
  readonly ratio: number
  readonly limit: number
}

const CELLS = ['what', 'measured', 'against', 'ratio', 'limit', '']

const cellsOf = ({ what, measured, unit, against, ratio, limit }: Figure): string[] => [
  what,
  `${measured.toFixed(unit === 's' || unit === 'times' ? 2 : 0)} ${unit}`,
  against,
  ratio.toFixed(2),
  limit.toFixed(2),
  ratio <= limit ? 'ok' : 'OVER',
]

/** The figures as lines of a table. */
export const tableOf = (figures: readonly Figure[]): string => {
  const rows = [CELLS, ...figures.map(cellsOf)]
  const widths = CELLS.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
