import type { Register } from '../cli.ts'
import { addStoreFlag } from '../operator.ts'
import { addAccounts } from '../service/accounts.ts'
import { addBackup } from '../service/backup.ts'
import { addBreakdowns } from '../service/breakdowns.ts'
import { addCalculated } from '../service/calculated.ts'
import { addCheck } from '../service/check.ts'
import { addKeys } from '../service/keys.ts'
import { addRestore } from '../service/restore.ts'
import { addSettings } from '../service/settings.ts'
import { addStatus } from '../service/status.ts'
import { addToken } from '../service/token.ts'

/** What `kpi service` can do, in the order in which help lists it. */
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
  addCheck,
]

/** `kpi service …` */
export const service: Register = (group, act) => {
  addStoreFlag(group)
  for (const register of parts) register(group, act)
}
