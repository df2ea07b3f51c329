import manifest from '../../../../package.json' with { type: 'json' }
import { printable } from '../../../domain/schema.ts'
import { STORE_VERSION } from '../../../store/schema/open-store.ts'
import { addExamples } from '../../args/examples.ts'
import type { Register } from '../../cli.ts'
import { printsOne } from '../../output/printed.ts'

/** Defines the versions of what is installed. */
const versions = printable('versions', 'versions', {
  kpi: { kind: 'text', about: 'Version of this program' },
  node: { kind: 'text', about: 'Version of the Node.js that runs it' },
  store: { kind: 'integer', about: 'Version of the stores that it makes, and to which it converts older ones' },
})

/** Registers `kpi version` */
export const version: Register = (group, act) => {
  addExamples(group, 'version', 'version -o json')
  printsOne(group, versions)
  act(group, (cli) => cli.printOne(versions, { kpi: manifest.version, node: cli.io.nodeVersion, store: STORE_VERSION }))
}
