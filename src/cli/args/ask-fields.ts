import type { Client } from '../../client/client.ts'
import { Fault } from '../../domain/errors.ts'
import type { Field, Resource } from '../../domain/schema.ts'
import type { Cli } from '../cli.ts'
import { shellWord } from '../output/text.ts'
import { camelCase, type FieldFlag, fieldFlags, type FlagValues, readText } from './flags.ts'
import { isNamedKind, readDirectory } from './names.ts'
import { askChoice, askValid } from './prompt.ts'

/** Tells whether a field is asked for: it must be given, and nothing but a name of something else stands in for it. */
const isAsked = ({ required, usual, refers }: Field): boolean =>
  required === true && (usual === undefined || refers !== undefined)

const isMissing = (flags: FlagValues, { flag }: FieldFlag): boolean => flags[camelCase(flag)] === undefined

/** Returns the texts among which a field is chosen; undefined if any text may be typed. */
const choicesOf = async (client: Client, { oneOf, words, refers }: Field): Promise<readonly string[] | undefined> => {
  if (oneOf) return words ?? oneOf
  if (refers === undefined || !isNamedKind(refers)) return undefined
  const directory = await readDirectory(client, refers)
  const names = [...(directory?.byId.values() ?? [])].map(({ name }) => name)
  return names.length > 0 ? names : undefined
}

/** Asks for one field, and takes only what it may hold. */
const askField = async (cli: Cli, client: Client, { flag, field }: FieldFlag): Promise<string> => {
  const message = `${field.about} (--${flag})`
  const choices = await choicesOf(client, field)
  if (choices) return askChoice(cli, message, choices, typeof field.usual === 'string' ? field.usual : undefined)
  return askValid(cli, message, (text) => {
    const value = readText(field, text)
    return value instanceof Fault ? value.message : undefined
  })
}

/** Returns the line that gives all fields as flags. */
export const lineOf = (words: readonly string[], of: readonly FieldFlag[], flags: FlagValues): string => {
  const given = of.flatMap(({ flag }) => {
    const text = flags[camelCase(flag)]
    return typeof text === 'string' ? [`--${flag}`, text] : []
  })
  return ['kpi', ...words, ...given].map(shellWord).join(' ')
}

/**
 * Asks at the terminal for the mandatory fields that a line does not give, with choices from the service. Returns the
 * flags with the answers; the same flags where nobody can be asked, or nothing is missing.
 */
export const askMissing = async (cli: Cli, client: Client, of: Resource, flags: FlagValues): Promise<FlagValues> => {
  const missing = fieldFlags(of).filter((one) => isAsked(one.field) && isMissing(flags, one))
  if (!missing.some(({ field }) => field.usual === undefined) || !cli.canAsk) return flags
  const answers: Record<string, string> = {}
  for (const one of missing) answers[camelCase(one.flag)] = await askField(cli, client, one)
  return { ...flags, ...answers }
}
