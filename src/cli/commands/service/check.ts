import manifest from '../../../../package.json' with { type: 'json' }
import { type Status, status } from '../../../domain/resources/service-status.ts'
import { printable } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import type { Cli, Register } from '../../cli.ts'
import { EXIT, IncompleteRun } from '../../exit.ts'
import { printsList, printsOne } from '../../output/printed.ts'
import { countOf } from '../../output/text.ts'
import { bundledPlace, existingFile, withExistingStore } from '../../target/bundled-store.ts'

type Where = Pick<Status, 'store' | 'path' | 'in_use' | 'bytes' | 'free_bytes'>

const ofFile = async (dataDir: string): Promise<Where> => {
  const { fileFacts } = await import('../../../store/maintenance/sqlite-file.ts')
  const path = existingFile(dataDir)
  return { store: 'sqlite', path, ...fileFacts(path) }
}

const ofPostgres = async (cli: Cli): Promise<Where> => {
  const [{ nameOf }, { findPostgresUrl }, { postgresFacts }] = await Promise.all([
    import('../../../store/postgres/open-postgres.ts'),
    import('../../target/postgres-url.ts'),
    import('../../../store/maintenance/status.ts'),
  ])
  const facts = await withExistingStore(cli, (db) => db.read(postgresFacts))
  return { store: 'postgres', path: nameOf(findPostgresUrl(cli.io)), ...facts }
}

/** Registers `kpi service status` */
export const addStatus: Register = (group, act) => {
  const command = group
    .command('status')
    .description('where the store is, how large, what it holds, and whether it is in use')
  printsOne(command, status)
  act(addExamples(command, 'service status', 'service status -o json'), async (cli) => {
    const [{ countAll, lastChangeAt }, { STORE_VERSION }] = await Promise.all([
      import('../../../store/maintenance/status.ts'),
      import('../../../store/schema/open-store.ts'),
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

const faultRecord = printable('fault', 'fault', {
  table: { kind: 'text', about: 'Table that holds the row' },
  account: { kind: 'text', about: 'Account that it belongs to' },
  id: { kind: 'text', about: 'What identifies the row in its account' },
  fault: { kind: 'text', about: 'What is wrong' },
  remedy: { kind: 'text', about: 'What to do about it' },
})

/** Registers `kpi service check` */
export const addStoreCheck: Register = (group, act) => {
  const command = group
    .command('check')
    .description('look for damage in the store, and for anything that breaks a rule')
  printsList(command, faultRecord)
  act(addExamples(command, 'service check', 'service check -o json'), async (cli) => {
    const [{ checkStore }, integrity] = await Promise.all([
      import('../../../service/check-store.ts'),
      import('../../../store/maintenance/check.ts'),
    ])
    const { counts, faults, more } = await withExistingStore(cli, (db, path) =>
      checkStore(db, path === undefined ? undefined : integrity),
    )
    if (faults.length > 0 || cli.printing().format !== 'table') await cli.printMany(faultRecord.shown, faults)
    const checked = `${countOf(counts.accounts, 'account')}, ${countOf(counts.entries, 'entry', 'entries')} checked`
    if (faults.length === 0) return cli.note(`nothing wrong: ${checked}`)
    const found = countOf(faults.length + more, 'fault')
    const rest = more > 0 ? `, ${more} of them not listed` : ''
    throw new IncompleteRun(EXIT.failed, 'faults', [`${found}${rest}: ${checked}`])
  })
}
