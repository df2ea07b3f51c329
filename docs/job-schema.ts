import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import {
  flagsPart,
  jobParts,
  ADDRESS_PARTS,
  MOST_RETRIES,
  type Part,
  partsOf,
  STEP_KINDS,
  type StepKind,
  stepKinds,
  stepParts,
} from '../src/cli/commands/run/job-definition.ts'
import { processIo } from '../src/cli/io.ts'
import { describeProgram } from '../src/cli/program.ts'
import type { Schema } from '../src/server/api/openapi/field-schemas.ts'

/** A text with at least one character that is no space; YAML reads some texts as numbers. */
const TEXT = { type: ['string', 'number'], pattern: '\\S' } as const
const VALUE = { type: ['string', 'number'] } as const
const TEXTS = [TEXT, { type: 'array', items: TEXT, minItems: 1 }] as const
const VALUES = { type: 'array', items: VALUE } as const

/** Whether a flag takes a value, by its own parser. */
const accepts = ({ parseArg }: Option, value: string): boolean => {
  try {
    parseArg?.(value, undefined)
    return true
  } catch {
    return false
  }
}

/** Whether a flag takes its choices in other spellings, too, as encodings have several names, or the name of something. */
const isOpen = (option: Option, [first = '']: readonly string[]): boolean =>
  [first.toLowerCase(), first.toUpperCase(), 'Some name'].some((one) => one !== first && accepts(option, one))

const choicesSchema = (option: Option, choices: readonly string[]): Schema =>
  isOpen(option, choices) ? { anyOf: [{ enum: [...choices] }, VALUE] } : { enum: [...choices] }

/** The value of a flag: `true` switches one on, `false` leaves any out. */
const flagSchema = (option: Option): Schema => {
  const { description, argChoices, required, optional } = option
  if (!required && !optional) return { description, type: 'boolean' }
  const value: Schema = argChoices ? choicesSchema(option, argChoices) : { anyOf: [VALUE, VALUES] }
  const switched: Schema = required ? { const: false } : { type: 'boolean' }
  return { description, anyOf: [value, switched] }
}

const nameOf = ({ long = '' }: Option): string => long.slice('--'.length)

/** Where the flags that every command has are in the schema. */
const OF_EVERY_COMMAND = 'of_every_command'

/** The flags of a command, and those that every command has. */
const flagsSchema = (own: readonly Option[], shared: readonly Option[]): Schema => ({
  description: flagsPart.about,
  type: 'object',
  properties: Object.fromEntries([
    ...own.map((option) => [nameOf(option), flagSchema(option)]),
    ...shared.map((one) => [nameOf(one), { $ref: `#/$defs/${OF_EVERY_COMMAND}/properties/${nameOf(one)}` }]),
  ]),
  additionalProperties: false,
})

/** What a step works on. */
const targetSchema = (kind: StepKind): Schema => {
  const { about, target, isList } = stepKinds[kind]
  if (target === 'none') return { description: about, type: 'null' }
  const description = `${about}: ${target}`
  if (kind === 'webhook') return { description, ...TEXT, type: [...TEXT.type, 'null'] }
  return isList ? { description, anyOf: [...TEXTS, { type: 'null' }] } : { description, ...TEXT }
}

const isPart = (name: string): name is keyof typeof stepParts => name in stepParts

/** The words and the counts that a part may be; YAML reads true and false as no texts. */
const choicesOf = ({ choices = [], isCount }: Part): Schema => {
  const words = choices.map((one) => (one === 'true' || one === 'false' ? one === 'true' : one))
  return isCount
    ? { anyOf: [{ enum: words }, { type: 'integer', minimum: 0, maximum: MOST_RETRIES }] }
    : { enum: words }
}

const partSchema = (part: Part): Schema => ({
  description: part.about,
  ...(part.choices ? choicesOf(part) : TEXT),
})

/** What else may say what a step works on: the address of a webhook, or the query of an import. */
const elsewhere: Partial<Record<StepKind, Schema>> = {
  import: {
    anyOf: [
      { properties: { import: { anyOf: TEXTS } } },
      { properties: { flags: { type: 'object', required: ['sql', 'from-db'] } }, required: ['flags'] },
    ],
  },
  webhook: {
    anyOf: [{ properties: { webhook: TEXT } }, ...ADDRESS_PARTS.map((name) => ({ required: [name] }))],
  },
}

/** The flags that a kind of step may have: those of its command, but for the one that gives what it names. */
const optionsOfStep = (program: CommandUnknownOpts, kind: StepKind): readonly Option[] => {
  const { words, flag } = stepKinds[kind]
  let command = program
  for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command
  return command.options.filter(({ hidden, long }) => !hidden && long !== flag)
}

const stepSchema = (kind: StepKind, options: readonly Option[], shared: readonly Option[]): Schema => ({
  type: 'object',
  description: stepKinds[kind].about,
  properties: {
    [kind]: targetSchema(kind),
    ...Object.fromEntries(partsOf(kind).map((name) => [name, isPart(name) ? partSchema(stepParts[name]) : {}])),
    ...(partsOf(kind).includes('flags') && { flags: flagsSchema(options, shared) }),
  },
  required: [kind],
  additionalProperties: false,
  ...elsewhere[kind],
})

/** The JSON Schema of the file of a job, as `kpi run` reads it. */
export const jobSchema = async (): Promise<Schema> => {
  const program = await describeProgram('', processIo())
  const shared = program.options.filter(({ long }) => long !== '--version')
  const parts = Object.entries<Part>(jobParts).map(([name, part]) => [name, partSchema(part)] as const)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $comment: 'What kpi run reads. Made from the code by `npm run docs`.',
    title: 'A job of kpi run',
    type: 'object',
    properties: {
      ...Object.fromEntries(parts),
      steps: { description: 'What to do, in this order', type: 'array', minItems: 1, items: { $ref: '#/$defs/step' } },
    },
    required: ['steps'],
    additionalProperties: false,
    $defs: {
      step: { anyOf: STEP_KINDS.map((kind) => ({ $ref: `#/$defs/${kind}` })) },
      [OF_EVERY_COMMAND]: flagsSchema(shared, []),
      ...Object.fromEntries(STEP_KINDS.map((kind) => [kind, stepSchema(kind, optionsOfStep(program, kind), shared)])),
    },
  }
}
