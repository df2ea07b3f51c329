import { type Status, status } from '../../domain/resources/status.ts'
import manifest from '../../../package.json' with { type: 'json' }
import type { Cli, Register } from '../cli.ts'
import { addExamples } from '../examples.ts'
import { bundledPlace, existingFile, withExistingStore } from '../operator.ts'

type Where = Pick<Status, 'store' | 'path' | 'in_use' | 'bytes' | 'free_bytes'>

const ofFile = async (dataDir: string): Promise<Where> => {
  const { fileFacts } = await import('../../store/sqlite-file.ts')
  const path = existingFile(dataDir)
  return { store: 'sqlite', path, ...fileFacts(path) }
}

const ofPostgres = async (cli: Cli): Promise<Where> => {
  const [{ nameOf }, { findPostgresUrl }, { postgresFacts }] = await Promise.all([
    import('../../store/open-postgres.ts'),
    import('../postgres-url.ts'),
    import('../../store/status.ts'),
  ])
  const facts = await withExistingStore(cli, (db) => db.read(postgresFacts))
  return { store: 'postgres', path: nameOf(findPostgresUrl(cli.io)), ...facts }
}

/** `kpi service status` */
export const addStatus: Register = (group, act) => {
  const command = group
    .command('status')
    .description('where the store is, how large, what it holds, and whether it is in use')
  act(addExamples(command, 'service status', 'service status -o json'), async (cli) => {
    const [{ countAll, lastChangeAt }, { STORE_VERSION }] = await Promise.all([
      import('../../store/status.ts'),
      import('../../store/open.ts'),
    ])
    const place = bundledPlace(cli)
    // Asked before this process opens the file itself.
    const where = await (place.kind === 'sqlite' ? ofFile(place.dataDir) : ofPostgres(cli))
    const held = await withExistingStore(cli, (db) =>
      db.read(async (tx) => ({ last_write_at: await lastChangeAt(tx), ...(await countAll(tx)) })),
    )
    await cli.printOne(status, { ...where, version: manifest.version, store_version: STORE_VERSION, ...held })
  })
}
