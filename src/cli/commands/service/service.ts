import type { Register } from '../../cli.ts'
import { addStoreFlag } from '../../target/bundled-store.ts'
import { addAccounts, addSettings } from './accounts.ts'
import { addBackup, addRestore } from './backup.ts'
import { addBreakdowns } from './breakdowns.ts'
import { addCalculated } from './calculated.ts'
import { addStoreCheck, addStatus } from './check.ts'
import { addCopy } from './copy.ts'
import { addDistribute } from './distribute.ts'
import { addKeys } from './keys.ts'
import { addToken } from './token.ts'

/** Lists the commands of `kpi service`, in the order of its help. */
const parts: readonly Register[] = [
  addStatus,
  addAccounts,
  addToken,
  addKeys,
  addSettings,
  addBreakdowns,
  addCalculated,
  addBackup,
  addRestore,
  addCopy,
  addStoreCheck,
  addDistribute,
]

/** Registers `kpi service …` */
export const service: Register = (group, act) => {
  addStoreFlag(group)
  for (const register of parts) register(group, act)
}
