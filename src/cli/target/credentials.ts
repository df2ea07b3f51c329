import type { Io } from '../io.ts'
import type { SecretSources } from './profiles.ts'
import { SETTINGS, variableOf } from './settings.ts'

/** Describes credentials in the environment. */
type EnvCredentials = {
  readonly login?: string | undefined
  readonly token?: string | undefined
  readonly tokenFile?: string | undefined
}

/**
 * Returns the credentials in the environment for a profile, or for none. If the environment also names a service, they
 * belong to that service, and a profile uses its own.
 */
export const credentialsIn = (io: Pick<Io, 'env'>, profile: string | undefined): EnvCredentials =>
  profile !== undefined && variableOf(io, SETTINGS.baseUrl)
    ? {}
    : {
        login: variableOf(io, SETTINGS.login)?.text,
        token: variableOf(io, SETTINGS.token)?.text,
        tokenFile: variableOf(io, SETTINGS.tokenFile)?.text,
      }

/** Returns a variable that holds credentials, where one is set. */
export const strayCredential = (io: Pick<Io, 'env'>): string | undefined =>
  [SETTINGS.login, SETTINGS.token, SETTINGS.tokenFile].flatMap((one) => variableOf(io, one)?.from ?? [])[0]

/** Names where the secret for a remote place comes from: the variable, command, file or profile that has it. */
type SecretSource = {
  readonly from: 'KPI_TOKEN' | 'KPI_TOKEN_FILE' | 'command' | 'file' | 'profile' | 'nowhere'
  readonly text: string
}

/** Describes where the profile of a place keeps its secret. */
export type SecretPlace = SecretSources & { readonly profile: string | undefined }

/** Returns the first available source: the environment, the profile's command, the user's file, the profile's file. */
export const secretSource = (
  io: Pick<Io, 'env'>,
  { profile, tokenCommand: command, tokenFile: own, secretName = profile }: SecretPlace,
): SecretSource => {
  const { token, tokenFile } = credentialsIn(io, profile)
  if (token !== undefined) return { from: 'KPI_TOKEN', text: token }
  if (tokenFile !== undefined) return { from: 'KPI_TOKEN_FILE', text: tokenFile }
  if (command !== undefined) return { from: 'command', text: command }
  if (own !== undefined) return { from: 'file', text: own }
  return secretName === undefined ? { from: 'nowhere', text: '' } : { from: 'profile', text: secretName }
}
