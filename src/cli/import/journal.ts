import { join, resolve } from 'node:path'
import { isDevice } from '../../load/files.ts'
import type { JournalPlace } from '../../load/journal-place.ts'
import { stateFolder } from '../folders.ts'
import { findPlace } from '../settings.ts'
import type { Job } from './jobs.ts'
import type { Run } from './work.ts'

/** Where the journal of a load lies: none is kept of what cannot be read again, unless a folder is named for it. */
export const journalPlaceOf = ({ cli, client, asked }: Run, { file }: Job): JournalPlace | undefined => {
  const { io, flags } = cli
  if (asked.journal === undefined && (file === '-' || isDevice(resolve(io.cwd, file)))) return undefined
  const place = findPlace(io, flags)
  return {
    folder: asked.journal === undefined ? join(stateFolder(io), 'journals') : resolve(io.cwd, asked.journal),
    service: place.kind === 'embedded' ? place.dataDir : place.baseUrl,
    account: client.caller,
  }
}
