import { resource } from '../../domain/schema.ts'
import type { Register } from '../cli.ts'
import { countOf } from '../count-of.ts'
import { addExamples } from '../examples.ts'
import { EXIT, Unfinished } from '../exit.ts'
import { withExistingStore } from '../operator.ts'

const faultRecord = resource({
  name: 'fault',
  plural: 'faults',
  title: 'fault',
  path: '',
  verbs: [],
  fields: {
    table: { kind: 'text', about: 'Table that holds the row', readOnly: true },
    account: { kind: 'text', about: 'Account that it belongs to', readOnly: true },
    id: { kind: 'text', about: 'What names the row in its account', readOnly: true },
    fault: { kind: 'text', about: 'What is wrong', readOnly: true },
    remedy: { kind: 'text', about: 'What to do about it', readOnly: true },
  },
})

/** `kpi service check` */
export const addCheck: Register = (group, act) => {
  const command = group
    .command('check')
    .description('look for damage in the store, and for anything that breaks a rule')
  act(addExamples(command, 'service check', 'service check -o json'), async (cli) => {
    const [{ checkStore }, integrity] = await Promise.all([
      import('../../service/check.ts'),
      import('../../store/integrity.ts'),
    ])
    const { counts, faults, more } = await withExistingStore(cli, (db, path) =>
      checkStore(db, path === undefined ? undefined : integrity),
    )
    if (faults.length > 0 || cli.printing().format !== 'table') await cli.printMany(faultRecord.shown, faults)
    const checked = `${countOf(counts.accounts, 'account')}, ${countOf(counts.entries, 'entry', 'entries')} checked`
    if (faults.length === 0) return cli.note(`nothing wrong: ${checked}`)
    const found = countOf(faults.length + more, 'fault')
    const rest = more > 0 ? `, ${more} of them not listed` : ''
    throw new Unfinished(EXIT.failed, 'faults', [`${found}${rest}: ${checked}`])
  })
}
