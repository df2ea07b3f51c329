import { secretsOf } from '../client/http/address.ts'
import { formsOf } from '../client/http/redaction.ts'
import type { Io } from './io.ts'
import { visible } from './output/width.ts'
import { wrapLines } from './output/wrap-lines.ts'
import type { Output } from './standard-output.ts'
import { ALL_SETTINGS, SETTINGS, variableOf, variablesOf } from './target/settings.ts'

/** Matches a token or key of the bundled service; only the beginning of one is shown anywhere. */
const OWN_SECRET = /kpi_[a-z]+_[0-9A-Za-z]{16,}(?:_[0-9A-Za-z]+)?/g
/** Matches flags that people try for secrets, although no flag takes one. */
const SECRET_FLAG = /^--?(?:[a-z-]*-)?(?:token|secret|pass(?:word)?|key|auth(?:orization)?|bearer)(?:=|$)/i
/** Names the flag that exists; its value is the name of a file. */
const FILE_FLAG = /^--tls-key(?:=|$)/
const CREDENTIALS_IN_URL = /^[^/]*\/\/[^/:]*:([^/]*)@/
/** Matches words that look random, as secrets do: long ones of digits and letters, and UUIDs. */
const RANDOM = /^(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])[\w+=]{20,}$|^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
const HIDDEN = '…'
/** Sets the shortest secret that is looked for: shorter words stand in messages by chance. */
const SHORTEST = 6

/** Finds secrets that were put on a command line by mistake. */
const secretsIn = (args: readonly string[]): string[] =>
  args.flatMap((arg, at) => {
    const inUrl = CREDENTIALS_IN_URL.exec(arg)?.[1]
    const inAddress = secretsOf(arg)
    if (inUrl !== undefined || inAddress.length > 0) return [inUrl ?? '', ...inAddress]
    if (RANDOM.test(arg)) return [arg]
    if (!SECRET_FLAG.test(arg) || FILE_FLAG.test(arg)) return []
    const equals = arg.indexOf('=')
    return [equals < 0 ? (args[at + 1] ?? '') : arg.slice(equals + 1)]
  })

/** Lists the variables whose URLs may hold a password. */
const URLS = variablesOf(ALL_SETTINGS.filter(({ secret }) => secret === 'password'))

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Finds the passwords in URLs of the environment, as they are written there and as they are meant. */
const passwordsIn = ({ env }: Pick<Io, 'env'>): string[] =>
  URLS.flatMap((name) => {
    const text = env[name] ?? ''
    const { username, password } = URL.parse(text.includes('://') ? text : `http://${text}`) ?? {}
    // One that is the user's name is no secret, and may be a word of messages: postgres.
    return password === undefined || password === username ? [] : [password, decoded(password)]
  })

/** Returns what removes secrets of the environment and the command line, and those of the bundled service, from a text. */
export const secretsRemover = (io: Pick<Io, 'env'>, args: readonly string[]): ((text: string) => string) => {
  const all = [...secretsIn(args), variableOf(io, SETTINGS.token)?.text.trim() ?? '', ...passwordsIn(io)]
  const secrets = [...new Set(all)].filter(({ length }) => length >= SHORTEST)
  const forms = secrets.flatMap((secret) => formsOf(secret, variableOf(io, SETTINGS.login)?.text))
  return (text) => forms.reduce((left, form) => left.replaceAll(form, HIDDEN), text.replaceAll(OWN_SECRET, HIDDEN))
}

/** Guards standard error: removes secrets, and whatever can steer a terminal; at a terminal, wraps lines at words. */
export const guardStderr = (io: Io, args: readonly string[]): Output => {
  const { stderr } = io
  const withoutSecrets = secretsRemover(io, args)
  const write = async (text: string): Promise<void> => {
    const shown = visible(withoutSecrets(text))
    await stderr.write(stderr.columns === undefined ? shown : await wrapLines(shown, stderr.columns))
  }
  return { ...stderr, write }
}
