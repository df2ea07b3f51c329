import type { Client } from '../client/client.ts'
import { isForbidden } from '../client/read-if-allowed.ts'
import { FIRST_ENTRY_DAY } from '../domain/day.ts'
import { KpiError } from '../domain/errors.ts'
import { entry } from '../domain/resources/entry.ts'
import { scopeNeeded } from '../domain/variants.ts'
import type { ImportOptions } from './options.ts'

/** What an import was asked for that cannot be done without reading entries, as flags. */
const flagsThatRead = ({ onlyChanges, onConflict }: ImportOptions, isVerified: boolean): string[] => [
  ...(onlyChanges ? ['--only-changes'] : []),
  ...(onConflict === 'skip' || onConflict === 'error' ? [`--on-conflict ${onConflict}`] : []),
  ...(isVerified ? ['--verify'] : []),
]

/** Refuses, before anything is read or sent, what takes to know what is stored, where the key may not read that. */
export const mustMayRead = async (
  client: Pick<Client, 'variant' | 'entries'>,
  options: ImportOptions,
  isVerified = false,
): Promise<void> => {
  const flags = flagsThatRead(options, isVerified)
  if (flags.length === 0 || client.variant === 'classic') return
  try {
    await client.entries.list({ from: FIRST_ENTRY_DAY, to: FIRST_ENTRY_DAY })
  } catch (error) {
    if (!isForbidden(error)) throw error
    const said = `${flags.join(', ')} cannot be done with this key: it takes to read entries`
    throw new KpiError('forbidden', `${said}, and so the scope ${scopeNeeded(entry, 'list')}; nothing was sent`, {
      cause: error,
    })
  }
}
