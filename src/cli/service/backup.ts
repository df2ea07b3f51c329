import { resolve } from 'node:path'
import { statSync } from 'node:fs'
import type { Register } from '../cli.ts'
import { addExamples } from '../examples.ts'
import { existingFile, filePlace } from '../operator.ts'
import { backupRecord, stoppable } from './copies.ts'

/** `kpi service backup` */
export const addBackup: Register = (group, act) => {
  const command = group
    .command('backup')
    .description('write all accounts into one file, also while servers and imports write')
    .argument('<file>', 'the file to write')
    .option('--force', 'overwrite the file if it is there')
  addExamples(command, 'service backup kpi-2026-11-21.db', 'service backup kpi-nightly.db --force')
  act(command, async (cli, [name = ''], { force }) => {
    const { backUpStore } = await import('../../store/backup.ts')
    const [path, file] = [existingFile(filePlace(cli, 'pg_dump')), resolve(cli.io.cwd, name)]
    const counts = await stoppable(cli, 'no backup was written', (signal) =>
      backUpStore(path, file, force === true, signal),
    )
    await cli.printOne(backupRecord, { file, bytes: statSync(file).size, ...counts })
  })
}
