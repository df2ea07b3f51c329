import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { KpiError } from '../domain/errors.ts'
import { configFolder, makeFolder } from './folders.ts'
import type { Io } from './io.ts'
import { shellWord } from './shell-word.ts'

const OTHERS = 0o077
const COMMAND_TIMEOUT_MS = 30_000

const secretFile = (io: Io, profile: string): string => join(configFolder(io), 'secrets', profile)

/** Keeps a profile's token in a file of its own that only its owner can read, from the moment it is made. */
export const keepToken = (io: Io, profile: string, token: string): void => {
  const path = secretFile(io, profile)
  const folder = join(configFolder(io), 'secrets')
  makeFolder(folder, 'folder of secrets')
  chmodSync(folder, 0o700)
  rmSync(path, { force: true })
  writeFileSync(path, `${token}\n`, { mode: 0o600, flag: 'wx' })
}

/** Forgets a profile's token. */
export const dropToken = (io: Io, profile: string): void => {
  rmSync(secretFile(io, profile), { force: true })
}

/** Reads a secret from a file, unless others could read it too. */
export const readSecretFile = (io: Io, path: string): string => {
  try {
    const file = statSync(path)
    if (!file.isDirectory() && io.platform !== 'win32' && (file.mode & OTHERS) !== 0) {
      throw new KpiError('unauthorized', `${path} can be read by others; mend it with: chmod 600 ${shellWord(path)}`)
    }
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (error instanceof KpiError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new KpiError('unauthorized', `cannot read the token file ${path} (${code})`, { cause: error })
  }
}

const runTokenCommand = ({ env, cwd }: Io, command: string): string => {
  try {
    return execFileSync(command, {
      shell: true,
      encoding: 'utf8',
      env,
      cwd,
      timeout: COMMAND_TIMEOUT_MS,
      stdio: ['ignore', 'pipe', 'inherit'],
    }).trim()
  } catch (error) {
    // The error of a failed program holds its output, which may be the secret.
    const status = error instanceof Error && 'status' in error ? `status ${String(error.status)}` : 'no status'
    throw new KpiError('unauthorized', `the profile's token command failed (${status})`)
  }
}

const readToken = (io: Io, profile: string | undefined, command: string | undefined): string => {
  const { KPI_TOKEN: token, KPI_TOKEN_FILE: file } = io.env
  if (token) return token.trim()
  if (file) return readSecretFile(io, resolve(io.cwd, file))
  if (command !== undefined) return runTokenCommand(io, command)
  if (profile !== undefined) return readSecretFile(io, secretFile(io, profile))
  throw new KpiError('unauthorized', 'there is no token: set KPI_TOKEN or KPI_TOKEN_FILE, or use a profile')
}

/** The token to send: from the environment, the profile's command, or the profile's file, in this order. */
export const findToken = (io: Io, profile: string | undefined, command: string | undefined): string => {
  const token = readToken(io, profile, command)
  if (token !== '') return token
  throw new KpiError('unauthorized', `the token is empty that comes from ${describeToken(io, profile ?? '', command)}`)
}

/** Where a profile's token comes from, in words; never the token. */
export const describeToken = (io: Io, profile: string, command: string | undefined): string => {
  if (io.env['KPI_TOKEN']) return 'the environment (KPI_TOKEN)'
  if (io.env['KPI_TOKEN_FILE']) return `the file ${io.env['KPI_TOKEN_FILE']} (KPI_TOKEN_FILE)`
  return command === undefined ? `the file ${secretFile(io, profile)}` : `the command ${command}`
}
