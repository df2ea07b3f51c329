import { setImmediate } from 'node:timers/promises'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseExactJson } from '../../src/codec/json-number.ts'
import { type JsonLimits, JsonReader, parseJson } from '../../src/codec/json-reader.ts'
import { BODY_LIMIT, NUMBER_LIMIT } from '../../src/domain/limits.ts'
import type { Pause } from '../../src/domain/pause.ts'

const LIMITS: JsonLimits = { depth: 32, members: 200_000, keys: 1000, isKept: (key) => key.startsWith('known') }

/** What a text says, read so many characters at a time. */
const readBy = (text: string, characters: number, limits = LIMITS): unknown => {
  const reader = new JsonReader(text, limits)
  while (!reader.read(characters));
  return reader.value
}

/** What becomes of a text: the value, written again, or that it is no JSON. */
const outcome = (read: () => unknown): string => {
  try {
    return JSON.stringify(read())
  } catch (error) {
    if (error instanceof SyntaxError) return 'no JSON'
    throw error
  }
}

/** JSON in which lists and objects are too large to be handed on as a whole. */
const large = (value: unknown): string => `[${JSON.stringify(value)},"${'x'.repeat(5000)}"]`

describe('JSON that is read in parts', () => {
  test('is what JSON.parse makes of it, however it is cut', () => {
    const value = fc.jsonValue({ maxDepth: 5, noneByDefault: false } as object)
    fc.assert(
      fc.property(value, fc.integer({ min: 1, max: 40 }), fc.boolean(), (json, characters, isLarge) => {
        const text = isLarge ? large({ json }) : JSON.stringify(json, undefined, 1)
        expect(JSON.stringify(readBy(text, characters))).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
  })

  test('is the same where a long text has an escape or a quote wherever it is cut', () => {
    for (const piece of ['\\u00e9', '\\\\', '\\"', '\\n', '\ud83d\ude00']) {
      for (let before = 16_375; before <= 16_386; before += 1) {
        const text = `["${'x'.repeat(before)}${piece}y",{"__proto__":{"a":[ ]},"b":1}]`
        expect(JSON.stringify(readBy(text, 16_384))).toBe(JSON.stringify(JSON.parse(text)))
      }
    }
  })

  test('is refused where JSON.parse refuses it, whatever is changed in it', () => {
    const good = [
      '{"a":[1,-2.5e+3,true,false,null,"\\u00e9\\n\\"\\\\",{},[]],"b":{"c":"d"}}',
      large([{ a: '\ud83d\ude00é' }, 5]),
      '  "text \\ud800 \\/"  ',
    ]
    const shards = [
      '"',
      '\\',
      '\\u',
      '\\u00',
      ',',
      ':',
      '[',
      ']',
      '{',
      '}',
      '-',
      '0',
      '.',
      'e',
      'tru',
      '\0',
      '\n',
      '\u2028',
      'NaN',
    ]
    const change = fc.tuple(fc.nat(80), fc.nat(4), fc.constantFrom('', ...shards))
    fc.assert(
      fc.property(fc.constantFrom(...good), fc.array(change, { maxLength: 3 }), (text, changes) => {
        const changed = changes.reduce(
          (all, [at, length, put]) => all.slice(0, at) + put + all.slice(at + length),
          text,
        )
        expect(outcome(() => readBy(changed, 7))).toBe(outcome(() => JSON.parse(changed)))
        expect(outcome(() => parseExactJson(changed))).toBe(outcome(() => JSON.parse(changed)))
      }),
      { numRuns: 500 },
    )
  })

  test('says where it is no JSON', () => {
    const places: [string, string][] = [
      ['{"a":1,}', '"}" at position 7 is not expected there'],
      [`[${'1,'.repeat(3000)}x]`, '"x" at position 6001 is not expected there'],
      ['["a\nb"]', 'a string has a character or an escape that JSON does not allow, after position 2'],
      ['{"a":', 'it ends too early'],
    ]
    for (const [text, message] of places) expect(() => readBy(text, 100)).toThrow(message)
  })

  test('keeps every digit, and has a bound on how many there are', () => {
    const digits = (count: number): string => '7'.repeat(count)
    for (const text of ['1.00000000000000000001', digits(NUMBER_LIMIT), `[${digits(20)}]`, large(1)]) {
      expect(JSON.stringify(readBy(text, 10))).toBe(text)
    }
    for (const text of [digits(NUMBER_LIMIT + 1), `{"a":${digits(BODY_LIMIT)}}`, `[0.${digits(1001)}]`]) {
      expect(() => readBy(text, 16_384)).toThrow(/^the number at position \d has more than 1000 characters$/)
      expect(() => parseExactJson(text)).toThrow(SyntaxError)
    }
  })
})

const MEBIBYTE = 1024 * 1024

describe('JSON that is large', () => {
  const list = (count: number, one = '1'): string => `[${Array(count).fill(one).join(',')}]`
  const object = (count: number, name = 'k'): string =>
    `{${Array.from({ length: count }, (_, at) => `"${name}${at}":1`).join(',')}}`

  test.each([
    ['200,000 elements', list(200_000)],
    ['200,000 elements in lists', list(100_000, '[1]')],
    ['200,000 keys and elements', `{"a":${list(99_998)},"b":${object(100_000)}}`],
    ['200,000 lists with nothing in them', list(200_000, '[ ]')],
    ['one text of 10 MiB', JSON.stringify('x'.repeat(BODY_LIMIT - 2))],
    ['32 levels', '['.repeat(32) + ']'.repeat(32)],
    ['32 levels below much', `[${list(5000)},${'['.repeat(31)}${']'.repeat(31)}]`],
    ['32 levels of objects', `${'{"a":'.repeat(31)}{}${'}'.repeat(31)}`],
    ['2,000 spellings of names', object(2000, 'known')],
  ])('may hold %s', async (_, text) => {
    await expect(parseJson(text, LIMITS)).resolves.toBeDefined()
  })

  test.each([
    ['200,001 elements', list(200_001), 'the body has more than 200000 keys and elements'],
    ['200,001 elements in lists', list(100_001, '[1]'), 'the body has more than 200000 keys and elements'],
    ['200,001 keys', object(200_001), 'the body has more than 200000 keys and elements'],
    ['33 levels', '['.repeat(33) + ']'.repeat(33), 'the body is nested more than 32 deep'],
    ['33 levels of objects', `${'{"a":'.repeat(32)}{}${'}'.repeat(32)}`, 'the body is nested more than 32 deep'],
    [
      '33 levels below much',
      `[${list(5000)},${'['.repeat(32)}${']'.repeat(32)}]`,
      'the body is nested more than 32 deep',
    ],
    ['2,001 spellings of names', object(2001, 'known'), 'the body spells the names of its fields in too many ways'],
  ])('may not hold %s', async (_, text, message) => {
    await expect(parseJson(text, LIMITS)).rejects.toThrow(
      expect.objectContaining({ code: 'malformed', message }) as Error,
    )
  })

  test('keeps of very many keys those that are known', async () => {
    const body = (await parseJson(`${object(5000).slice(0, -1)},"known":5,"k0":6}`, LIMITS)) as Record<string, unknown>
    expect([Object.keys(body).length, body['known'], body['k0']]).toEqual([1001, 5, 6])
  })

  const fill = (start: string, unit: string, end: string): string =>
    start + unit.repeat(Math.floor((2 * MEBIBYTE - start.length - end.length) / unit.length)) + end

  test.each([
    ['blanks', fill('', ' ', '1')],
    ['text', fill('"', 'x', '"')],
    ['escapes', fill('"', '\\n', '"')],
    ['a key', fill('{"', 'x', '":1}')],
    [
      'small objects that never end',
      fill('[', '{"a":"bcdefghijklmnopqrstuvwxyz0123456789bcdefghijklmnopqrstuvwxyz"},', ''),
    ],
  ])('leaves others their turns: 2 MiB of %s', async (_, text) => {
    let turns = 0
    const pause: Pause = () => {
      turns += 1
      return turns % 20 === 0 ? setImmediate() : undefined
    }
    await parseJson(text, LIMITS, pause).catch(String)
    expect(turns).toBeGreaterThan(100)
  })
})
