import type { Capability } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import { KpiError } from '../../../domain/errors.ts'
import { frequency } from '../../../domain/resources/catalog.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import { user } from '../../../domain/resources/user.ts'
import { SCOPES } from '../../../domain/scopes.ts'
import { scopeNeeded } from '../../../domain/variants.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, exitOf, UsageError, type ExitCode } from '../../exit.ts'
import { addAdvice } from '../../target/advice.ts'
import { findPlace, type RemotePlace } from '../../target/place.ts'
import { IMPORT, type StepCommand } from './step.ts'

/** Describes why a step would fail where the job runs: its exit code, and what it would say. */
export type Lack = {
  readonly code: ExitCode
  readonly message: string
  /** Holds all that it would say, a line each, where that is more. */
  readonly details?: readonly string[]
}

/** Returns what an error says that ends a step; throws any other. */
export const lackBy = (error: unknown): Lack => {
  if (error instanceof UsageError) return { code: EXIT.usage, message: error.message }
  if (error instanceof KpiError) return { code: exitOf(error), message: error.message }
  throw error
}

/** Looks up the names in files; those that hold ids alone do without. */
const NAMES_IN_FILES: readonly Capability[] = [user, kpi].map((of) => ({ of, verb: 'list', isOptional: true }))

/** Describes what is known of a service: the scopes of the key, why it refuses the key, or why it could not be asked. */
type Reached = { readonly scopes?: string; readonly refusal?: KpiError; readonly silence?: string }

/** Makes one harmless request. A key that lacks the scope for it is good all the same. */
const ask = async (cli: Cli): Promise<Reached> => {
  const work = async (client: Client): Promise<Reached> => {
    await client.frequencies.list().catch((error: unknown) => {
      if (!(error instanceof KpiError) || error.missingScope === undefined) throw error
    })
    const scopes = client.keyInfo()?.scopes
    return scopes === undefined || scopes === null ? {} : { scopes }
  }
  try {
    return await cli.withClient({ of: frequency, verb: 'list' }, work)
  } catch (error) {
    if (error instanceof UsageError) return { silence: error.message }
    if (!(error instanceof KpiError)) throw error
    return error.class === 'unauthorized' ? { refusal: error } : { silence: error.message }
  }
}

/** Returns the scopes that some capabilities need and a key does not have. */
const scopesMissing = (list: readonly Capability[], scopes: string): string[] => {
  const has = new Set(scopes.split(/[\s,]+/))
  const needed = list.map(({ of, verb }) => scopeNeeded(of, verb)).filter((scope) => scope !== undefined)
  return [...new Set(needed)].filter((scope) => !has.has(scope))
}

const lackOfScopes = (cli: Cli, place: RemotePlace, scopes: string, missing: readonly string[]): Lack => {
  const what = `the key does not have the ${missing.length === 1 ? 'scope' : 'scopes'} ${missing.join(', ')}, which this needs`
  const error = new KpiError('forbidden', what, { missingScope: SCOPES.find((scope) => scope === missing[0]) })
  const { message } = addAdvice(error, cli.io, place, [scopes, ...missing].join(','))
  return { code: EXIT.unauthorized, message }
}

/** Describes what is known of a step before it runs: why it would fail, or that its service could not be asked. */
type Outlook = { readonly lack?: Lack; readonly isSilent?: true }

/**
 * Creates what finds why steps would fail at the service that they go to: what its variant lacks, and what the key may
 * not do, as far as the service tells. It asks each service once. `note` gets what keeps no step from running.
 */
export const createLackFinder = (note: (text: string) => Promise<void>) => {
  const known = new Map<string, Promise<Reached>>()
  const reach = async (cli: Cli, place: RemotePlace): Promise<Reached> => {
    const name = JSON.stringify([place.baseUrl, place.profile])
    const isFirst = !known.has(name)
    const reached = await (known.get(name) ?? known.set(name, ask(cli)).get(name))
    if (isFirst && reached?.silence !== undefined)
      await note(`what the service allows was not looked at: ${reached.silence}`)
    return reached ?? {}
  }
  return async (name: string, { path, cli: cliOf, needs = [], trial }: StepCommand): Promise<Outlook> => {
    const isLocal = path.startsWith('service ')
    if (isLocal || (needs.length === 0 && trial === undefined)) return {}
    const list = path === IMPORT ? [...needs, ...NAMES_IN_FILES] : needs
    const cli = cliOf()
    try {
      cli.requireCapabilities(list)
    } catch (error) {
      return { lack: lackBy(error) }
    }
    const place = findPlace(cli.io, cli.flags)
    if (place.kind === 'embedded') return {}
    const { scopes, refusal, silence } = await reach(cli, place)
    if (refusal) return { lack: lackBy(refusal) }
    if (silence !== undefined) return { isSilent: true }
    if (scopes === undefined) return {}
    const optional = scopesMissing(
      list.filter(({ isOptional }) => isOptional),
      scopes,
    )
    if (optional.length > 0) {
      await note(
        `${name}: without ${optional.join(' and ')}, the key looks up no such names, so its files must hold ids`,
      )
    }
    const missing = scopesMissing(
      list.filter(({ isOptional }) => !isOptional),
      scopes,
    )
    return missing.length > 0 ? { lack: lackOfScopes(cli, place, scopes, missing) } : {}
  }
}
