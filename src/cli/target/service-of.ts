import type { Client } from '../../client/client.ts'
import { normalizeUrl } from '../../client/http/base-url.ts'
import { breakdownItem } from '../../domain/resources/breakdowns.ts'
import { group } from '../../domain/resources/groups.ts'
import type { Cli } from '../cli.ts'
import { findPlace } from './settings.ts'

/** Names the service in journals: by its base URL, or its store. */
export const serviceOf = ({ io, flags }: Cli): string => {
  const place = findPlace(io, flags)
  return place.kind === 'embedded' ? place.dataDir : normalizeUrl(new URL(place.baseUrl))
}

/** Runs work with a client of the newer interface of the same service; with none, where that takes another key. */
export const withNewer = async <T>(
  cli: Cli,
  client: Client,
  work: (newer: Client | undefined) => Promise<T>,
): Promise<T> => {
  const isEmbedded = findPlace(cli.io, cli.flags).kind === 'embedded'
  return isEmbedded && client.variant === 'classic'
    ? cli.withClient({ of: breakdownItem, verb: 'list' }, work)
    : work(undefined)
}

/** Runs work with a client of the classic interface of the same service; with none, where there is no such interface. */
export const withClassic = async <T>(
  cli: Cli,
  client: Client,
  work: (classic: Client | undefined) => Promise<T>,
): Promise<T> => {
  if (client.variant === 'classic') return work(client)
  const isEmbedded = findPlace(cli.io, cli.flags).kind === 'embedded'
  return isEmbedded ? cli.withClient({ of: group, verb: 'add' }, work) : work(undefined)
}
