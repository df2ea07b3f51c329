import type { Needs } from '../../../client/capabilities.ts'
import { KpiError } from '../../../domain/errors.ts'
import { breakdownItem } from '../../../domain/resources/breakdowns.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import { findPlace } from '../../target/settings.ts'
import { serviceOf } from '../entries/created.ts'
import { KIND_NAMES, type KindName, kinds, sections } from './planning/kinds.ts'
import type { Configuration } from './planning/read-file.ts'
import { accessTo, type Target } from './target.ts'
import { type Things, thingsOf } from './planning/things.ts'

/** Describes the flag that says whose configuration it is. */
export type AccountFlags = { readonly account?: string | undefined }

const unsupported = (line: number | undefined, what: string): KpiError =>
  new KpiError('unsupported', `line ${line ?? 1}: ${what}`)

const ON_ITS_MACHINE =
  'by the operator of the bundled service: run the same command on its machine, without a profile or with --data-dir'

/** Refuses what only the bundled service itself has. */
const rejectOperatorParts = ({ sections: names, items }: Configuration): void => {
  const [calculated, breakdowns] = [names.get('calculated'), names.get('breakdowns')]
  if (calculated !== undefined) throw unsupported(calculated, `calculated KPIs are defined ${ON_ITS_MACHINE}`)
  if (breakdowns !== undefined) throw unsupported(breakdowns, `breakdowns are made ${ON_ITS_MACHINE}`)
  const archived = items.find(({ lines }) => names.has('group_items') && 'is_archived' in lines)
  if (archived) {
    const what = `group items are archived in the newer interface, where they are breakdown_items, or ${ON_ITS_MACHINE}`
    throw unsupported(archived.lines['is_archived'], what)
  }
}

/** Returns what the sections of a file need of a remote service. */
const needsOf = ({ sections: names }: Configuration): Needs =>
  [...names.keys()].map((name) => ({
    of: name === 'breakdown_items' ? breakdownItem : (sections.get(name)?.kind.of ?? breakdownItem),
    verb: 'add',
  }))

/** Stands for no file: a dump needs nothing but what there is. */
export const EVERYTHING: Configuration = { items: [], sections: new Map(), faults: [] }

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
      work({ client, operator, service: store, account: () => name }, stopping),
    )
  }
  rejectOperatorParts(configuration)
  const needs = needsOf(configuration)
  cli.requireCapabilities(needs)
  return cli.withClient(
    needs,
    (client, stopping) =>
      work({ client, service: serviceOf(cli), account: () => client.identifyAccount().for }, stopping),
    { signal },
  )
}

const PER_USER: ReadonlySet<KindName> = new Set(['assignment', 'user_group_item'])

/** Lists the kinds that a service shows. */
export const kindsOf = ({ client }: Target): readonly KindName[] =>
  client.variant === 'classic'
    ? KIND_NAMES
    : ['icon', 'category', 'unit', 'group', 'group_item', 'kpi', 'calculated_kpi']

/** Returns kinds with all that they refer to. */
const withReferred = (names: Iterable<KindName>): Set<KindName> => {
  const all = new Set<KindName>()
  const take = (name: KindName): void => {
    if (all.has(name)) return
    all.add(name)
    for (const { refers = [] } of kinds[name].fields) for (const other of refers) take(other)
  }
  for (const name of names) take(name)
  // A name must not be that of a KPI of the other kind.
  if (all.has('kpi') || all.has('calculated_kpi')) for (const name of ['kpi', 'calculated_kpi'] as const) take(name)
  return all
}

/**
 * Reads the things of some kinds, and all that they refer to; what belongs to users, of those for whom `isWanted` says
 * so.
 */
export const readThings = async (
  target: Target,
  names: Iterable<KindName>,
  isWanted: (user: AnyRecord) => boolean = () => true,
): Promise<Things> => {
  const access = accessTo(target)
  const wanted = withReferred(names)
  const records = new Map<KindName, readonly AnyRecord[]>()
  for (const name of KIND_NAMES) {
    if (!wanted.has(name)) continue
    const users = PER_USER.has(name) ? (records.get('user') ?? []).filter(isWanted) : []
    records.set(name, await access[name].list(users.map(({ id }) => Number(id))))
  }
  return thingsOf(records)
}

/** Makes sure that the account of a remote service is known, which an answer may tell better than the credentials. */
export const learnAccount = async ({ client, operator }: Target): Promise<void> => {
  if (!operator && !client.identifyAccount().isSure) await client.frequencies.list()
}
