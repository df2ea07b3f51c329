import { KpiError } from '../../domain/errors.ts'
import { resource } from '../../domain/schema.ts'
import type { Cli } from '../cli.ts'
import { EXIT, Unfinished } from '../exit.ts'

/** What a backup holds, of all accounts together. */
export const backupRecord = resource({
  name: 'backup',
  plural: 'backups',
  title: 'backup',
  path: '',
  verbs: [],
  fields: {
    file: { kind: 'text', about: 'File of the backup', readOnly: true },
    bytes: { kind: 'integer', about: 'Size of the file', readOnly: true },
    accounts: { kind: 'integer', about: 'Accounts', readOnly: true },
    users: { kind: 'integer', about: 'Users', readOnly: true },
    kpis: { kind: 'integer', about: 'KPIs', readOnly: true },
    entries: { kind: 'integer', about: 'Entries', readOnly: true },
  },
})

/** Runs `work`, which Ctrl-C stops; then that is told, and that nothing has come of it. */
export const stoppable = async <T>(cli: Cli, what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const signal = cli.io.interruption()
  try {
    return await work(signal)
  } catch (error) {
    throw signal.aborted && !(error instanceof KpiError)
      ? new Unfinished(EXIT.interrupted, 'interrupted', [`interrupted; ${what}`])
      : error
  }
}
