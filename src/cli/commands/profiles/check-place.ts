import { isOfNetwork } from '../../../client/http/network-errors.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { Cli } from '../../cli.ts'
import type { RemotePlace } from '../../target/place.ts'
import { probeOf, refusalOf } from './check.ts'

/** Describes why a place cannot be used, and the base URL that answers instead, if one was found. */
export type PlaceFault = { readonly error: KpiError; readonly suggested?: string }

/** Returns why a place cannot be used with a secret; undefined if it answers. */
const refusalAt = async (cli: Cli, place: RemotePlace, secret: string): Promise<KpiError | undefined> => {
  // A data directory keeps the settings of the profile in use out of this: the new one need not be it.
  const flags = { ...cli.flags, dataDir: '.' }
  try {
    return refusalOf(place, await probeOf(cli, flags, place, secret))
  } catch (error) {
    if (error instanceof KpiError) return error
    throw error
  }
}

/** Returns the base URLs that are probably meant by one that ends in neither /api nor /v1. */
const nearbyUrls = (baseUrl: string): string[] =>
  /\/(?:api|v1)$/i.test(baseUrl) ? [] : [...new Set([`${baseUrl}/api`, `${new URL(baseUrl).origin}/api`])]

/** Tells whether nothing answered, so that nothing else on the same host need be tried; a web page is an answer. */
const isSilent = ({ code, cause }: KpiError): boolean => code === 'rate_limited' || isOfNetwork(cause)

/** Makes one harmless request to a place; returns why it cannot be used, and looks nearby for the URL that can. */
export const findPlaceFault = async (cli: Cli, place: RemotePlace, secret: string): Promise<PlaceFault | undefined> => {
  const error = await refusalAt(cli, place, secret)
  if (!error) return undefined
  if (isSilent(error)) return { error }
  for (const baseUrl of nearbyUrls(place.baseUrl)) {
    const other = await refusalAt(cli, { ...place, baseUrl }, secret)
    // A service that only minds the token is there, too.
    if (!other || (other.code === 'unauthorized' && error.code !== 'unauthorized')) return { error, suggested: baseUrl }
  }
  return { error }
}

/** Returns the error of a profile that is not added or changed, with the next step. */
export const notKept = (what: 'add' | 'change', name: string, { error, suggested }: PlaceFault): KpiError => {
  const advice = suggested === undefined ? '' : `; a service answers at ${suggested}: give that as --base-url`
  const message = `profile ${name} was not ${what === 'add' ? 'added' : 'changed'}: ${error.message}${advice}; --no-check ${what}s it unchecked`
  return new KpiError(error.code, message, { cause: error })
}
