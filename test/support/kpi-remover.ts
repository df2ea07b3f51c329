// A process that removes a KPI as `kpi serve` does: `node kpi-remover.ts PATH ID`. It says so as it begins.
import { kpis } from '../../src/store/tables/kpis.ts'
import { openStore } from '../../src/store/schema/open-store.ts'

const [path = '', id = ''] = process.argv.slice(2)
const db = await openStore(path, { apart: true })
process.stdout.write('removing\n')
await (db.apart ?? db).write((tx) => kpis.remove(tx, 1, Number(id)))
await db.close()
