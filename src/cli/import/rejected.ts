import type { Client } from '../../client/client.ts'
import type { Asked } from './asked.ts'

/** The flags that say what the rows of a file mean and what becomes of them, which its rejects need as well. */
const needsFlags = ({ options, reading, mapping }: Asked): boolean => {
  const { map, ignore, numbersAs, layout, user, source, kpi, date, decimal, dateFormat } = options
  const said = [numbersAs, layout, user, source, kpi, date, decimal, dateFormat, reading.separator, mapping]
  return (
    said.some((one) => one !== undefined) ||
    map.size + ignore.length > 0 ||
    options.clearEmpty ||
    options.strict ||
    options.createAssignments ||
    options.onDuplicate !== 'error' ||
    options.onConflict !== 'update'
  )
}

/** How a file of mended rejects is imported: it is UTF-8, whatever the file was that they came from. */
const wayBack = (asked: Asked, more: readonly string[]): string => {
  const { encoding = 'utf-8' } = asked.reading
  const same = encoding === 'utf-8' ? ' with the same flags' : ' with the same flags, but --encoding utf-8'
  const added = more.join(' ')
  if (!needsFlags(asked)) return added === '' ? '' : ` with ${added}`
  return added === '' ? same : `${same}${encoding === 'utf-8' ? '' : ','} and ${added}`
}

/** Where rejected rows are, and how they are loaded once they are mended: with which flags beside those that were given. */
export const rejectedSummary = (rejected: number, path: string, asked: Asked, more: readonly string[]): string => {
  const [rows, are, them] =
    rejected === 1 ? ['1 row was', 'it is', 'it'] : [`${rejected} rows were`, 'they are', 'them']
  return `${rows} rejected; ${are} in ${path} with the reasons: mend ${them} there and import that file${wayBack(asked, more)}`
}

/** Whether --create-assignments would help: it is not given yet, and the newer variant has no assignments. */
export const mayAssign = ({ variant }: Client, { options }: Asked): boolean =>
  variant === 'classic' && !options.createAssignments

/** What no mending of rows does. */
export const ASSIGNING_ADVICE =
  'a KPI that is not assigned to its user is nothing to mend: --create-assignments makes what is missing'
