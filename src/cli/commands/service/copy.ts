import { Option } from '@commander-js/extra-typings'
import { resource } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { collect } from '../../args/flags.ts'
import type { Register } from '../../cli.ts'
import { printsOne } from '../../output/printed.ts'

/** Defines the summary of a copy, over all accounts that it is about. */
export const copyRecord = resource({
  name: 'copy',
  plural: 'copies',
  title: 'copy',
  path: '',
  verbs: [],
  fields: {
    from: { kind: 'text', about: 'Store that was read', readOnly: true },
    to: { kind: 'text', about: 'Store that they are in now', readOnly: true },
    accounts: { kind: 'integer', about: 'Accounts', readOnly: true },
    users: { kind: 'integer', about: 'Users', readOnly: true },
    kpis: { kind: 'integer', about: 'KPIs', readOnly: true },
    keys: { kind: 'integer', about: 'API keys', readOnly: true },
    entries: { kind: 'integer', about: 'Entries', readOnly: true },
    actual: { kind: 'decimal', about: 'Sum of all actual values', readOnly: true },
    target: { kind: 'decimal', about: 'Sum of all targets of entries', readOnly: true },
    rows: { kind: 'integer', about: 'Rows of all tables', readOnly: true },
  },
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
