import { rmSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type ErrorCode, KpiError } from '../../domain/errors.ts'
import { fileErrorReason } from '../../files/file-error.ts'
import { closeToOthers, replaceFile } from '../../files/replace-file.ts'
import type { Io } from '../io.ts'
import { pathWord } from '../output/text.ts'
import { type SecretPlace, secretSource } from './credentials.ts'
import { configFolder, makeFolder } from './folders.ts'
import { readNamed } from './named-files.ts'
import type { RemotePlace } from './place.ts'
import { configFile } from './profiles.ts'
import type { CommandBounds } from './token-command.ts'

const OTHERS = 0o077
const WORLD = 0o007
const OTHERS_WRITE = 0o022
const WORLD_WRITE = 0o002
const STICKY = 0o1000

/** Names the secret of each variant: a token or a key. */
export const SECRETS: Record<RemotePlace['kind'], string> = { classic: 'token', v1: 'key' }

/** Returns why a text cannot be a secret of a variant; never quotes it. Those of third-party services may have any form. */
export const faultOfSecret = (kind: RemotePlace['kind'], secret: string): string | undefined => {
  const called = SECRETS[kind]
  if (secret === '') return 'it is empty'
  if (/[\r\n]/.test(secret)) return `it has more than one line; where it is JSON, take the value of ${called}`
  if (secret.startsWith('{')) return `it is JSON; take the value of ${called}`
  if (/\s/.test(secret)) return 'it contains spaces'
  if (/\p{Cc}|\p{Cf}/u.test(secret)) return 'it contains control characters'
  // A token travels encoded, a key as it is.
  if (kind === 'v1' && /[^!-~]/.test(secret)) return 'it has characters that are not ASCII'
  if (kind === 'v1' && secret.startsWith('kpi_token_')) {
    return 'it is an account token, and a base URL that ends in /v1 takes a key (on the bundled service: kpi service keys create)'
  }
  return kind === 'classic' && secret.startsWith('kpi_key_')
    ? 'it is a key, which goes with a base URL that ends in /v1; one that ends in /api takes the account token'
    : undefined
}

const secretFile = (io: Io, profile: string): string => join(configFolder(io), 'secrets', profile)

/** Keeps a profile's token in a file of its own that only its owner can read, from the moment it is made. */
export const saveToken = (io: Io, profile: string, token: string): void => {
  const path = secretFile(io, profile)
  const folder = join(configFolder(io), 'secrets')
  makeFolder(folder, 'folder of secrets')
  closeToOthers(folder)
  replaceFile(path, `${token}\n`)
}

/** Forgets a profile's token. */
export const deleteToken = (io: Io, profile: string): void => {
  rmSync(secretFile(io, profile), { force: true })
}

const UNREADABLE: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read by you',
}

/**
 * Returns who besides the owner may read a file. systemd's credentials (`LoadCredential`) are the user's alone by an
 * access list, which shows as a right of the group, in a folder that nobody else may enter.
 */
const strangersTo = ({ env, cwd }: Io, path: string): number => {
  const folder = env['CREDENTIALS_DIRECTORY']
  return folder !== undefined && dirname(resolve(cwd, path)) === resolve(folder) ? WORLD : OTHERS
}

/** Refuses an open file that others could read, with the command that fixes it. */
export const requirePrivate = (io: Io, path: string, file: Stats, code: ErrorCode): void => {
  if (file.isDirectory() || io.platform === 'win32' || (file.mode & strangersTo(io, path)) === 0) return
  throw new KpiError(code, `${path} can be read by others; fix it with: chmod 600 ${pathWord(path)}`)
}

/** Returns whether a file's owner is trusted with what is run: that is who runs this, or root. */
const isTrusted = ({ uid }: Io, owner: number): boolean => owner === 0 || owner === uid

/** Returns why others may have written a file or folder, and the command that fixes it; undefined where they may not. */
const faultOfOwner = (io: Io, path: string): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return undefined
  const name = pathWord(path)
  if (!isTrusted(io, found.uid)) return `${path} belongs to another user; fix it with: chown "$(id -u)" ${name}`
  return (found.mode & OTHERS_WRITE) === 0 ? undefined : `others can write ${path}; fix it with: chmod go-w ${name}`
}

/** Returns the nearest folder above a path in which anybody could put something else in its place. */
const openFolderAbove = (path: string): string | undefined => {
  const folder = dirname(path)
  if (folder === path) return undefined
  const { mode = 0 } = statSync(folder, { throwIfNoEntry: false }) ?? {}
  return (mode & WORLD_WRITE) !== 0 && (mode & STICKY) === 0 ? folder : openFolderAbove(folder)
}

/** Refuses to run a command of a configuration that others could have written, with the command that fixes it. */
const requireOwnConfig = (io: Io): void => {
  if (io.platform === 'win32') return
  const folder = resolve(configFolder(io))
  const open = openFolderAbove(folder)
  const fault =
    faultOfOwner(io, folder) ??
    faultOfOwner(io, configFile(io)) ??
    (open && `others can write ${open}; fix it with: chmod o-w ${pathWord(open)}`)
  if (fault) throw new KpiError('unauthorized', `the token command is not run, as ${fault}`)
}

/** Reads a secret from a file, unless others could read it too. */
export const readSecretFile = (io: Io, path: string): string => {
  try {
    const check = (found: Stats): void => requirePrivate(io, path, found, 'unauthorized')
    return readNamed(path, { check }).toString().trim()
  } catch (error) {
    if (error instanceof KpiError) throw error
    throw new KpiError('unauthorized', `cannot read the token file ${path}: ${fileErrorReason(error, UNREADABLE)}`, {
      cause: error,
    })
  }
}

/** Runs the command of a profile that prints its secret; it ends within its bounds. */
export const runTokenCommand = async (io: Io, command: string, bounds: CommandBounds): Promise<string> => {
  requireOwnConfig(io)
  const { printSecret } = await import('./token-command.ts')
  return printSecret(io, command, bounds)
}

/** Returns an error about a secret that names the profile, or the variable, which says where that is. */
const withOwner = (error: unknown, io: Io, place: RemotePlace): unknown => {
  const { from } = secretSource(io, place)
  if (!(error instanceof KpiError) || from === 'nowhere') return error
  const owner = from.startsWith('KPI_') ? from : `profile ${place.profile}`
  const { code, message, cause } = error
  return message.includes(owner) ? error : new KpiError(code, `${owner}: ${message}`, { cause })
}

const readSecret = async (io: Io, place: RemotePlace, bounds: CommandBounds): Promise<string> => {
  const { from, text } = secretSource(io, place)
  if (from === 'KPI_TOKEN') return text.trim()
  if (from === 'command') return runTokenCommand(io, text, bounds)
  if (from !== 'nowhere') return readSecretFile(io, from === 'profile' ? secretFile(io, text) : resolve(io.cwd, text))
  const message = `there is no ${SECRETS[place.kind]}: set KPI_TOKEN or KPI_TOKEN_FILE, or use a profile`
  throw new KpiError('unauthorized', message)
}

/**
 * Finds the token or key to send: from the environment, the profile's command, the user's file that the profile names,
 * or the profile's own file, in this order.
 */
export const findSecret = async (io: Io, place: RemotePlace, bounds: CommandBounds): Promise<string> => {
  const { kind } = place
  try {
    const secret = await readSecret(io, place, bounds)
    const fault = faultOfSecret(kind, secret)
    if (fault === undefined) return secret
    throw new KpiError('unauthorized', `${describeToken(io, place)} holds no ${SECRETS[kind]}: ${fault}`)
  } catch (error) {
    throw withOwner(error, io, place)
  }
}

/** Returns where the token of a profile comes from, in words; never the token. */
export const describeToken = (io: Io, place: SecretPlace): string => {
  const { from, text } = secretSource(io, place)
  if (from === 'KPI_TOKEN') return 'the environment (KPI_TOKEN)'
  if (from === 'KPI_TOKEN_FILE') return `the file ${text} (KPI_TOKEN_FILE)`
  if (from === 'command') return `the command ${text}`
  if (from === 'file') return `the file ${text} (read each time)`
  return from === 'profile' ? `the file ${secretFile(io, text)}` : from
}
