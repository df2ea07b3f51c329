import { resolve } from 'node:path'
import { statSync } from 'node:fs'
import type { Register } from '../cli.ts'
import { addExamples } from '../examples.ts'
import { makeFolder, storePath } from '../folders.ts'
import { filePlace, withExistingStore } from '../operator.ts'
import { backupRecord, stoppable } from './copies.ts'

/** `kpi service restore` */
export const addRestore: Register = (group, act) => {
  const command = group
    .command('restore')
    .description('put a backup in place of the store; nobody may have it open')
    .argument('<file>', 'a file that kpi service backup has written')
    .option('--force', 'overwrite a store that holds data')
  addExamples(command, 'service restore kpi-backup.db --data-dir ./copy', 'service restore kpi-backup.db --force')
  act(command, async (cli, [name = ''], { force }) => {
    const [{ restoreStore }, { countAll }] = await Promise.all([
      import('../../store/restore.ts'),
      import('../../store/status.ts'),
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
