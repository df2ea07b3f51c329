import { type Account, type OperatorAccess } from '../../../changes/records/access.ts'
import { sections } from '../../../changes/records/kind-fields.ts'
import type { Configuration } from '../../../changes/from/yaml.ts'
import type { Needs } from '../../../client/capabilities.ts'
import { KpiError } from '../../../domain/errors.ts'
import { breakdownItem } from '../../../domain/resources/breakdowns.ts'
import type { Cli } from '../../cli.ts'
import { findPlace } from '../../target/place.ts'
import { serviceOf } from '../../target/service-of.ts'

/** Describes the flag that says whose configuration it is. */
export type AccountFlags = { readonly account?: string | undefined }

/** Describes the account whose configuration is read and changed. */
export type Target = Account & {
  readonly operator?: OperatorAccess
  /** Names the service and the account, to which saved plans and records belong. */
  readonly service: string
  readonly accountName: () => string
}

const unsupported = (line: number | undefined, what: string): KpiError =>
  new KpiError('unsupported', `line ${line ?? 1}: ${what}`)

const ON_ITS_MACHINE =
  'by the operator of the bundled service: run the same command on its machine, without a profile or with --data-dir'

/** Refuses what only the bundled service itself has. */
const rejectOperatorParts = ({ sections: names, desired }: Configuration): void => {
  const [calculated, breakdowns] = [names.get('calculated'), names.get('breakdowns')]
  if (calculated !== undefined) throw unsupported(calculated, `calculated KPIs are defined ${ON_ITS_MACHINE}`)
  if (breakdowns !== undefined) throw unsupported(breakdowns, `breakdowns are made ${ON_ITS_MACHINE}`)
  const archived = desired.find(({ lines }) => names.has('group_items') && lines && 'is_archived' in lines)
  if (archived) {
    const what = `group items are archived in the newer interface, where they are breakdown_items, or ${ON_ITS_MACHINE}`
    throw unsupported(archived.lines?.['is_archived'], what)
  }
}

/** Returns what the sections of a file need of a remote service. */
const needsOf = ({ sections: names }: Configuration): Needs =>
  [...names.keys()].map((name) => ({
    of: name === 'breakdown_items' ? breakdownItem : (sections.get(name)?.kind.of ?? breakdownItem),
    verb: 'add',
  }))

/** Stands for no file: a dump needs nothing but what there is. */
export const EVERYTHING: Configuration = { desired: [], sections: new Map(), faults: [] }

/** Runs work on the account of a line. What the service lacks of a file is refused before anything is sent. */
export const withTarget = async <T>(
  cli: Cli,
  { account }: AccountFlags,
  configuration: Configuration,
  signal: AbortSignal,
  work: (target: Target, signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const isOperator = account !== undefined || cli.flags.store !== undefined
  if (isOperator || findPlace(cli.io, cli.flags).kind === 'embedded') {
    // Credentials in the environment that are for no service are refused here, too.
    if (!isOperator) cli.requireCapabilities([])
    const { asOperator } = await import('../service/operator.ts')
    return asOperator(cli, account, ({ store, account: name, client, ...operator }, stopping) =>
      work({ client, operator, service: store, accountName: () => name }, stopping),
    )
  }
  rejectOperatorParts(configuration)
  const needs = needsOf(configuration)
  cli.requireCapabilities(needs)
  return cli.withClient(
    needs,
    (client, stopping) =>
      work({ client, service: serviceOf(cli), accountName: () => client.identifyAccount().for }, stopping),
    { signal },
  )
}
