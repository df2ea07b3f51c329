import type { Client } from '../../client/client.ts'
import { normalizeUrl } from '../../client/http/base-url.ts'
import { readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import { breakdownItem } from '../../domain/resources/breakdowns.ts'
import { group } from '../../domain/resources/groups.ts'
import type { Cli } from '../cli.ts'
import { shellWord } from '../output/text.ts'
import { findPlace } from './place.ts'
import { type GlobalFlags, placeFlags } from './settings.ts'

/** Names the service in journals: by its base URL, or its store. */
export const serviceOf = ({ io, flags }: Cli): string => {
  const place = findPlace(io, flags)
  return place.kind === 'embedded' ? place.dataDir : normalizeUrl(new URL(place.baseUrl))
}

/** Returns the line that takes a run back, as it is typed in a shell: `entries undo` or `undo` with the name of its receipt. */
export const undoLine = (flags: GlobalFlags, command: 'entries undo' | 'undo', receipt: string): string =>
  ['kpi', ...command.split(' '), receipt, ...placeFlags(flags)].map(shellWord).join(' ')

/** Makes sure that the account is known, which an answer of the service may tell better than the credentials. */
export const learnAccount = async (client: Client): Promise<void> => {
  if (!client.identifyAccount().isSure) await readIfAllowed(client, client.frequencies.list())
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

/** Holds the clients of both interfaces of a service, as far as the credentials reach. */
type BothClients = { readonly classic?: Client | undefined; readonly newer?: Client | undefined }

/** Runs work with the clients of both interfaces of the service of a client. */
export const withBoth = async <T>(cli: Cli, client: Client, work: (clients: BothClients) => Promise<T>): Promise<T> => {
  if (client.variant === 'v1') return withClassic(cli, client, (classic) => work({ classic, newer: client }))
  const isEmbedded = findPlace(cli.io, cli.flags).kind === 'embedded'
  return isEmbedded
    ? cli.withClient({ of: breakdownItem, verb: 'list' }, (newer) => work({ classic: client, newer }))
    : work({ classic: client })
}
