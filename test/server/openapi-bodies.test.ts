import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readJson } from '../../src/codec/json.ts'
import { Fault } from '../../src/domain/errors.ts'
import { newerBatchFlags, newerEntry } from '../../src/domain/resources/entry.ts'
import { resources } from '../../src/domain/resources/index.ts'
import type { Field, Resource } from '../../src/domain/schema.ts'
import { type Schema, takenField } from '../../src/server/api/openapi/field-schemas.ts'
import { bodyFields, patchName, schemasOf } from '../../src/server/api/openapi/schemas.ts'

const STYLES = [
  { variant: 'classic', protocol: { isXml: true, isLenient: true } },
  { variant: 'v1', protocol: { isXml: false, isLenient: false } },
] as const

const all: readonly Resource[] = [...resources, newerEntry, newerBatchFlags]

/** The texts that a pattern cannot tell from good ones: those with characters that no text may have. */
const HAS_CONTROLS = /[\p{Cc}\p{Cs}\ufffe\uffff]/u

/** The schemas that a generator may take a value from: a schema itself, or any of its alternatives. */
const alternatives = (schema: Schema): Schema[] =>
  Array.isArray(schema['anyOf']) ? schema['anyOf'].map((one: Schema) => ({ ...schema, ...one })) : [schema]

type Case = { readonly name: string; readonly field: Field; readonly pattern: string; readonly isLenient: boolean }

const withPattern: Case[] = STYLES.flatMap(({ variant, protocol: { isLenient } }) =>
  all.flatMap((of) =>
    bodyFields(of, 'add').flatMap(({ name, field }) =>
      alternatives(takenField(field, 'add', isLenient)).flatMap(({ pattern }) =>
        typeof pattern === 'string' ? [{ name: `${variant} ${of.name}.${name}`, field, pattern, isLenient }] : [],
      ),
    ),
  ),
)

describe('what a generator makes of a pattern is taken', () => {
  test.each(withPattern)('$name', ({ field, pattern, isLenient }) => {
    const texts = fc
      .stringMatching(new RegExp(pattern))
      .filter((text) => !HAS_CONTROLS.test(text) && Array.from(text).length <= (field.max ?? 1000))
    fc.assert(
      fc.property(texts, (text) => {
        expect([text.trim() === '', readJson(field, text, isLenient) instanceof Fault]).toEqual([false, false])
      }),
      { numRuns: 40 },
    )
  })

  test.each(withPattern)('and never a blank: $name', ({ pattern }) => {
    expect(['', ' ', '\t\n'].filter((blank) => new RegExp(pattern).test(blank))).toEqual([])
  })
})

describe.each(STYLES)('a body that changes something, as $variant describes it', ({ protocol }) => {
  const changed = all.filter(({ verbs }) => verbs.includes('update'))

  const propertiesOf = (of: Resource): [name: string, property: Schema][] =>
    Object.entries((schemasOf(of, protocol)[patchName(of)] as { properties: Record<string, Schema> }).properties)

  test.each(changed)('$name: demands nothing, and brings no value that was not sent', (of) => {
    const fallbacks = propertiesOf(of).filter(([, { description, writeOnly }]) => {
      return writeOnly !== true && String(description).includes('not given')
    })
    expect([schemasOf(of, protocol)[patchName(of)], fallbacks]).toEqual([
      expect.not.objectContaining({ required: expect.anything() }),
      [],
    ])
  })

  test.each(changed)('$name: has no field that a change would ignore', (of) => {
    const ignored = new Set(['id', ...of.writable.filter(({ field }) => field.secret).map(({ name }) => name)])
    expect(propertiesOf(of).filter(([name]) => ignored.has(name))).toEqual([])
  })
})

test.each(STYLES)('no schema of $variant has a default, which generators make mandatory', ({ protocol }) => {
  expect(
    all.map((of) => JSON.stringify(schemasOf(of, protocol))).filter((text) => text.includes('"default":')),
  ).toEqual([])
})
