import { Option } from '@commander-js/extra-typings'
import { printable } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { collect } from '../../args/flags.ts'
import type { Register } from '../../cli.ts'
import { printsOne } from '../../output/printed.ts'

/** Defines the summary of a copy, over all accounts that it is about. */
export const copyRecord = printable('copy', 'copy', {
  from: { kind: 'text', about: 'Store that was read' },
  to: { kind: 'text', about: 'Store that they are in now' },
  accounts: { kind: 'integer', about: 'Accounts' },
  users: { kind: 'integer', about: 'Users' },
  kpis: { kind: 'integer', about: 'KPIs' },
  keys: { kind: 'integer', about: 'API keys' },
  entries: { kind: 'integer', about: 'Entries' },
  actual: { kind: 'decimal', about: 'Sum of all actual values' },
  target: { kind: 'decimal', about: 'Sum of all targets of entries' },
  rows: { kind: 'integer', about: 'Rows of all tables' },
})

/** Registers `kpi service copy` */
export const addCopy: Register = (group, act) => {
  const command = group
    .command('copy')
    .description('copy whole accounts to the other kind of store, and verify them')
    .addOption(
      new Option('--to <kind>', 'postgres: from the data directory to KPI_POSTGRES_URL; sqlite: the other way')
        .choices(['postgres', 'sqlite'] as const)
        .makeOptionMandatory(),
    )
    .option('--account <name,...>', 'only these accounts', collect)
    .option('--dry-run', 'copy nothing; show what would be copied')
    .option('--discard', 'copy nothing; remove copies that are not finished')
  addExamples(
    command,
    'service copy --to postgres --dry-run',
    'service copy --to postgres',
    'service copy --to sqlite --data-dir ./copy',
  )
  printsOne(command, copyRecord)
  act(command, async (cli, _, flags) => {
    const { runCopy } = await import('./run-copy.ts')
    await runCopy(cli, flags)
  })
}
