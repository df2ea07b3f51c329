import { hash } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { Client } from '../../client/client.ts'
import { plainUrl } from '../../client/plain-url.ts'
import { isDevice } from '../../load/reading/files.ts'
import type { JournalPlace } from '../../load/journal/place.ts'
import type { Cli } from '../cli.ts'
import { stateFolder } from '../folders.ts'
import { findPlace } from '../settings.ts'

/** The service as it is told apart from others: where it is. */
const serviceOf = ({ io, flags }: Cli): string => {
  const place = findPlace(io, flags)
  return place.kind === 'embedded' ? place.dataDir : plainUrl(new URL(place.baseUrl))
}

/** The file as a whole path; undefined for what can be read only once, and so cannot be gone on with unasked. */
const pathOf = ({ io }: Cli, file: string): string | undefined => {
  const path = resolve(io.cwd, file)
  return file === '-' || isDevice(path) ? undefined : path
}

/** Where the journal of an import lies. */
export const journalPlace = (cli: Cli, client: Client, file: string, asked: unknown): JournalPlace | undefined => {
  const path = pathOf(cli, file)
  if (path === undefined && typeof asked !== 'string') return undefined
  const folder = typeof asked === 'string' ? resolve(cli.io.cwd, asked) : join(stateFolder(cli.io), 'journals')
  return { folder, service: serviceOf(cli), account: client.workingFor, caller: client.caller, path: path ?? file }
}

const SERVICE_LETTERS = 16

/** Where it is kept what was found out about a service of somebody else, by somebody's credentials. */
export const learnedPath = (cli: Cli, client: Client): string => {
  const name = hash('sha256', JSON.stringify([serviceOf(cli), client.caller]), 'hex').slice(0, SERVICE_LETTERS)
  return join(stateFolder(cli.io), 'services', `${name}.json`)
}
