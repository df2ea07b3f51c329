import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { status } from '../../../domain/resources/service-status.ts'
import { printable } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import type { Register } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { printsOne } from '../../output/printed.ts'
import { existingFile, filePlace, stoppable, withExistingStore } from '../../target/bundled-store.ts'
import { makeFolder, storePath } from '../../target/folders.ts'

const { accounts, users, kpis, entries } = status.fields

/** Defines the summary of a backup, over all accounts. */
const backupRecord = printable('backup', 'backup', {
  file: { kind: 'text', about: 'File of the backup' },
  bytes: { kind: 'integer', about: 'Size of the file' },
  accounts,
  users,
  kpis,
  entries,
})

/** Registers `kpi service restore` */
export const addRestore: Register = (group, act) => {
  const command = group
    .command('restore')
    .description('replace the store by a backup; no other process may have the store open')
    .argument('<file>', 'a file that kpi service backup has written')
    .option('--force', 'overwrite a store that holds data')
  addExamples(command, 'service restore kpi-backup.db --data-dir ./copy', 'service restore kpi-backup.db --force')
  printsOne(command, backupRecord)
  act(command, async (cli, [name], { force }) => {
    const [{ restoreStore }, { countAll }] = await Promise.all([
      import('../../../store/maintenance/restore.ts'),
      import('../../../store/maintenance/status.ts'),
    ])
    const [dataDir, file] = [filePlace(cli, 'pg_restore'), resolve(cli.io.cwd, name)]
    const asideName = `damaged-${new Date(cli.io.now()).toISOString().replaceAll(/\D/g, '').slice(0, 14)}`
    const aside = await stoppable(cli, 'the store is as it was', (signal) =>
      restoreStore(file, storePath(dataDir), {
        force: force === true,
        asideName,
        signal,
        makeFolder: () => makeFolder(dataDir, 'data directory'),
      }),
    )
    if (aside !== undefined) await cli.note(`the damaged store that was there is kept in ${aside}`)
    const counts = await withExistingStore(cli, (db) => db.read(countAll))
    await cli.printOne(backupRecord, { file, bytes: statSync(file).size, ...counts })
  })
}

/** Refuses standard output, to which no database can be written page by page. */
const requireFile = (name: string): void => {
  if (name !== '-') return
  throw new UsageError(
    'a backup is written to a file, not to standard output; name one, such as kpi-backup.db, and pass that on (./- is a file named -)',
  )
}

/** Registers `kpi service backup` */
export const addBackup: Register = (group, act) => {
  const command = group
    .command('backup')
    .description('write all accounts to one file, even while servers and imports write')
    .argument('<file>', 'the file to write')
    .option('--force', 'overwrite the file if it exists')
  addExamples(command, 'service backup kpi-2026-11-21.db', 'service backup kpi-nightly.db --force')
  printsOne(command, backupRecord)
  act(command, async (cli, [name], { force }) => {
    requireFile(name)
    const { backUpStore } = await import('../../../store/maintenance/backup.ts')
    const [path, file] = [existingFile(filePlace(cli, 'pg_dump')), resolve(cli.io.cwd, name)]
    const counts = await stoppable(cli, 'no backup was written', (signal) =>
      backUpStore(path, file, force === true, signal),
    )
    await cli.printOne(backupRecord, { file, bytes: statSync(file).size, ...counts })
  })
}
