import type { Io } from '../../io.ts'
import { type Profile, readProfiles, writeProfiles } from '../../target/profiles.ts'
import { deleteToken, saveToken } from '../../target/secrets.ts'

/** Returns the names of the two files, of which one holds the secret of a profile. No profile has such a second name. */
export const secretNames = (name: string): readonly [string, string] => [name, `${name}~`]

/** Returns the name of the file in which a profile keeps its secret; undefined if it keeps none. */
const secretNameOf = (name: string, profile: Profile | undefined): string | undefined => {
  if (!profile || profile.kind === 'embedded' || (profile.tokenCommand ?? profile.tokenFile) !== undefined)
    return undefined
  return profile.secretName ?? name
}

/**
 * Stores a profile, and its secret if it keeps one. The new secret is in a file of its own before the profile refers to
 * it, and the old one is there until then, so that whatever fails between leaves the old profile as it was.
 */
export const keepProfile = async (io: Io, name: string, profile: Profile, secret?: string): Promise<void> => {
  const { current, byName } = readProfiles(io)
  const [first, second] = secretNames(name)
  const kept = secret === undefined ? undefined : secretNameOf(name, byName.get(name)) === first ? second : first
  if (secret !== undefined && kept !== undefined) saveToken(io, kept, secret)
  const stored = kept === second && profile.kind !== 'embedded' ? { ...profile, secretName: second } : profile
  try {
    await writeProfiles(io, { current, byName: new Map([...byName, [name, stored]]) })
  } catch (error) {
    if (kept !== undefined) deleteToken(io, kept)
    throw error
  }
  for (const one of secretNames(name)) if (one !== kept) deleteToken(io, one)
}
