import { KpiError } from '../../../domain/errors.ts'
import { printable } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import type { Register } from '../../cli.ts'
import { printsList } from '../../output/printed.ts'
import { countOf } from '../../output/text.ts'
import { bundledPlace, withPostgres } from '../../target/bundled-store.ts'

const placementRecord = printable('placement', 'placement', {
  table: { kind: 'text', about: 'Table of the store' },
  column: {
    kind: 'text',
    about: 'Column by which its rows are spread over the machines',
    nullable: true,
  },
  state: {
    kind: 'choice',
    about: 'distributed now, unchanged, planned, or local to the coordinator',
    oneOf: ['distributed', 'unchanged', 'planned', 'local'],
  },
  statement: { kind: 'text', about: 'Statement that distributes it', nullable: true },
})

/** Sets how long a table may take to be moved. */
const PATIENCE_MS = 24 * 60 * 60 * 1000

/** Registers `kpi service distribute` */
export const addDistribute: Register = (group, act) => {
  const command = group
    .command('distribute')
    .description('spread the tables of a store in PostgreSQL over several machines, by account')
    .requiredOption('--citus', 'using Citus, whose extension the database has')
    .option('--dry-run', 'change nothing, and show the statements')
  addExamples(
    command,
    'service distribute --citus --store postgres --dry-run',
    'service distribute --citus --store postgres',
  )
  printsList(command, placementRecord)
  act(command, async (cli, _, { dryRun }) => {
    if (bundledPlace(cli).kind === 'sqlite') {
      throw new KpiError(
        'unsupported',
        'a store in a file is on one machine; name one in PostgreSQL with --store postgres',
      )
    }
    const { distributeTables, planDistribution } = await import('../../../store/postgres/citus.ts')
    const placements = await withPostgres(
      cli,
      (db, where) =>
        dryRun ? db.read((tx) => planDistribution(tx, where)) : db.write((tx) => distributeTables(tx, where)),
      { patienceMs: PATIENCE_MS },
    )
    await cli.printMany(placementRecord.shown, placements)
    const changed = placements.filter(({ state }) => state === (dryRun ? 'planned' : 'distributed')).length
    await cli.note(`${countOf(changed, 'table')} ${dryRun ? 'to distribute' : 'distributed'} by account`)
  })
}
