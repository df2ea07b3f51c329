import type { Schema } from '../src/server/api/openapi/field-schemas.ts'
import { settingSentence, fieldName, PROJECT_SETTINGS, type Setting, SETTINGS } from '../src/cli/target/settings.ts'

/** The values that a list of choices has in YAML: numbers are also written as texts, with a zero before one digit, too. */
const choicesOf = ({ choices = [], isNumber }: Setting<unknown>): (string | number)[] =>
  isNumber ? choices.flatMap((text) => [...new Set([Number(text), text, text.padStart(2, '0')])]) : [...choices]

const scalarSchema = (setting: Setting<unknown>): Schema => ({
  ...(setting.choices ? { enum: choicesOf(setting) } : { type: ['string', 'number', 'boolean'], pattern: '.' }),
  ...(setting === SETTINGS.baseUrl && { type: 'string', pattern: '^https?://' }),
})

const settingSchema = (setting: Setting<unknown>): Schema => {
  const { valuesOfMap } = setting
  const description = settingSentence(setting)
  return valuesOfMap
    ? { description, type: 'object', additionalProperties: { enum: [...valuesOfMap] } }
    : { description, ...scalarSchema(setting) }
}

/** The JSON Schema of the project file `kpi.yaml`, as each command reads it. */
export const settingsSchema = (): Schema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $comment: 'What kpi reads from the project file. Made from the code by `npm run docs`.',
  title: 'The project file kpi.yaml',
  type: 'object',
  properties: Object.fromEntries(PROJECT_SETTINGS.map((one) => [fieldName(one), settingSchema(one)])),
  additionalProperties: false,
})
