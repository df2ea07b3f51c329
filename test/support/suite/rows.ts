import { accessRows } from './access-rows.ts'
import { batchRows } from './batch-rows.ts'
import { conflictRows } from './conflict-rows.ts'
import { entryListRows } from './entry-list-rows.ts'
import { entryRows } from './entry-rows.ts'
import { formatRows } from './format-rows.ts'
import { limitRows } from './limit-rows.ts'
import { repeatRows } from './repeat-rows.ts'
import { refusalRows } from './refusal-rows.ts'
import { reportRows } from './report-rows.ts'
import { valueRows } from './value-rows.ts'
import { CONTROLLERS } from './controllers.ts'
import { commonRows } from './common-rows.ts'
import type { Row } from './row.ts'

/** Everything that the suite asks: what all controllers are asked, then what only some are. */
export const rows: readonly Row[] = [
  ...CONTROLLERS.flatMap(commonRows),
  ...accessRows,
  ...formatRows,
  ...valueRows,
  ...entryRows,
  ...entryListRows,
  ...batchRows,
  ...reportRows,
  ...conflictRows,
  ...repeatRows,
  ...limitRows,
  ...refusalRows,
]
