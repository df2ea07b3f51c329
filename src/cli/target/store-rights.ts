import { statSync } from 'node:fs'
import type { Cli } from '../cli.ts'
import { storePath } from './folders.ts'
import { findPlace } from './place.ts'

/** Returns the store's permissions for a file, so that nobody else can read what is exported. */
export const rightsOf = ({ io, flags }: Pick<Cli, 'io' | 'flags'>): { readonly like?: number } => {
  const place = findPlace(io, flags)
  const store = place.kind === 'embedded' ? statSync(storePath(place.dataDir), { throwIfNoEntry: false }) : undefined
  return store ? { like: store.mode } : {}
}
