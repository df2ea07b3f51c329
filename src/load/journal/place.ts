import type { Working } from '../../client/caller.ts'

/** Where the journal of a run lies, and for whom it is sent to where, by which its journal is known again. */
export type JournalPlace = {
  readonly folder: string
  /** The service, such as its base URL, or the folder of the embedded one. */
  readonly service: string
  /** Whose entries they are, known once the service has answered. */
  readonly account: () => Working
  /** Who asks there: never a secret, but different for different credentials. */
  readonly caller: string
  /** The file that is loaded, as a whole path. */
  readonly path: string
}
