import { ARCHIVES } from './archives.ts'
import { DEFINITIONS } from './definitions.ts'
import type { HostileFile } from './hostile-file.ts'
import { ROWS } from './rows.ts'
import { OTHERS, TEXTS } from './texts.ts'
import { WORKBOOKS } from './workbooks.ts'

/** Files that are made to hold up whoever reads them: in time, in memory or in temporary files. */
export const HOSTILE_FILES: readonly HostileFile[] = [
  ...TEXTS,
  ...WORKBOOKS,
  ...ARCHIVES,
  ...OTHERS,
  ...DEFINITIONS,
  ...ROWS,
]
