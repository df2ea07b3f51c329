import { type Difference, differences } from '../differences.ts'
import type { Format, Row } from './row.ts'

/** A row as the newer variant has it, and the names of the differences that made it so. */
export type NewerRow = { readonly row: Row; readonly differs: readonly string[] }

/** A row that is written as the classic interface has it, as the newer variant has it; but for one difference, if so told. */
export const asNewer = (row: Row, but?: Difference): NewerRow =>
  differences
    .filter((one) => one !== but)
    .reduce<NewerRow>(
      (so, difference) => {
        const changed = difference.row?.(so.row)
        return changed ? { row: changed, differs: [...so.differs, difference.name] } : so
      },
      { row, differs: [] },
    )

/** How a row is asked of the newer variant: in JSON, but where it makes sense only in XML. */
export const formatOf = ({ only = 'json' }: Row): Format => only
