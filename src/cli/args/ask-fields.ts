import type { Client } from '../../client/client.ts'
import { Fault } from '../../domain/errors.ts'
import { type Field, usualWith } from '../../domain/schema.ts'
import type { Cli } from '../cli.ts'
import type { Directory, Named } from '../../client/directory.ts'
import { camelCase, type FieldFlag, type FlagValues, readText } from './flags.ts'
import { isId, readDirectory } from './names.ts'
import { isListedKind } from '../../client/operations/kind-operations.ts'
import { isOneLine } from '../output/width.ts'
import { askChoice, askValid, type Choice } from './prompt.ts'

/** Tells whether a field is asked for: it must be given, and nothing but a name of something else stands in for it. */
const isAsked = ({ required, usual, refers }: Field): boolean =>
  required === true && (usual === undefined || refers !== undefined)

const isName = ({ flag }: FieldFlag): boolean => flag === 'name'

const isMissing = (flags: FlagValues, { flag }: FieldFlag): boolean => flags[camelCase(flag)] === undefined

/** Returns an id as a flag takes it, with a mark where it is the name of something else. */
export const idText = ({ find }: Pick<Directory<Named>, 'find'>, id: number): string =>
  find(String(id)) instanceof Fault ? `#${id}` : String(id)

/**
 * Returns a thing as a choice, which stands for its name, or for its id where a flag would take the name for something
 * else, for an id or for several things, and where it cannot be typed.
 */
export const choiceOf = ({ find }: Pick<Directory<Named>, 'find'>, { id, name, email }: Named): Choice => {
  const text = email ?? name
  const found = find(text)
  const isSure = !isId(text) && isOneLine(text) && !(found instanceof Fault) && found.id === id
  return {
    name: email === undefined || name === '' ? text : `${name}, ${email}`,
    value: isSure ? text : idText({ find }, id),
  }
}

/** Returns the texts among which a field is chosen; undefined if any text may be typed. */
const choicesOf = async (
  client: Client,
  { oneOf, words, refers }: Field,
): Promise<readonly (string | Choice)[] | undefined> => {
  if (oneOf) return words ?? oneOf
  if (refers === undefined || !isListedKind(refers)) return undefined
  const directory = await readDirectory(client, refers)
  if (!directory || directory.byId.size === 0) return undefined
  return [...directory.byId.values()].map((one) => choiceOf(directory, one))
}

/** Returns the default of a field as it is chosen; `referred` is what it refers to on which the default depends. */
const usualChoice = (field: Field, referred?: object): string | undefined => {
  const usual = usualWith(field, referred)
  return typeof usual === 'string' ? (field.words?.[field.oneOf?.indexOf(usual) ?? -1] ?? usual) : undefined
}

/** Asks for one field, and takes only what it may hold. */
const askField = async (
  cli: Cli,
  client: Client,
  { flag, field }: FieldFlag,
  usual: string | undefined,
): Promise<string> => {
  const message = `${field.about} (--${flag})`
  const choices = await choicesOf(client, field)
  if (choices) return askChoice(cli, message, choices, usual)
  return askValid(cli, message, (text) => {
    const value = readText(field, text)
    return value instanceof Fault ? value.message : undefined
  })
}

/** Returns the thing that a flag names on which the default of a field depends; undefined if there is none. */
const referredBy = async (
  client: Client,
  all: readonly FieldFlag[],
  { unless }: Field,
  flags: FlagValues,
): Promise<object | undefined> => {
  const on = all.find(({ name }) => name === unless?.field)
  const text = on && (flags[camelCase(on.flag)] ?? on.field.usual)
  if (on?.field.refers === undefined || !isListedKind(on.field.refers) || typeof text !== 'string') return undefined
  const found = (await readDirectory(client, on.field.refers))?.find(text)
  return found instanceof Fault ? undefined : found
}

/**
 * Asks at the terminal for what a line must give and does not, with choices from the service; then for what may be left
 * out but matters, with its default. Returns the answers; none where nobody can be asked, or nothing is missing.
 */
export const askMissing = async (
  cli: Cli,
  client: Client,
  needed: readonly FieldFlag[],
  flags: FlagValues,
): Promise<FlagValues> => {
  const missing = needed.filter((one) => isAsked(one.field) && isMissing(flags, one))
  if (!missing.some(({ field }) => field.usual === undefined) || !cli.canAsk) return {}
  const answers: Record<string, string> = {}
  // Who makes something begins with its name.
  for (const one of missing.toSorted((left, right) => Number(isName(right)) - Number(isName(left))))
    answers[camelCase(one.flag)] = await askField(cli, client, one, usualChoice(one.field))
  for (const one of needed.filter((each) => each.field.offered && isMissing(flags, each))) {
    const referred = await referredBy(client, needed, one.field, { ...flags, ...answers })
    const answer = await askField(cli, client, one, usualChoice(one.field, referred))
    if (answer !== '') answers[camelCase(one.flag)] = answer
  }
  return answers
}
