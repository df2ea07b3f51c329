import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRedaction, formsOf } from '../../src/client/http/redaction.ts'
import { KpiError } from '../../src/domain/errors.ts'

const [LOGIN, TOKEN] = ['ann@acme.example.com', 'kpi_token_Ab3dEf6hIj9lMn2pQr5tUv8x_Kq4wZs7c']
const forms = formsOf(TOKEN, LOGIN)
const { error, content } = createRedaction(TOKEN, LOGIN)
const told = (message: string): string => error(new KpiError('malformed', message)).message

/** Any run of a form of the secret, in the letters that it has, or in capital ones. */
const run = fc
  .record({
    form: fc.constantFrom(...forms),
    from: fc.nat(100),
    length: fc.integer({ min: 10, max: 80 }),
    isUpper: fc.boolean(),
  })
  .map(({ form, from, length, isUpper }) => {
    const start = Math.min(from, form.length - 10)
    const text = form.slice(start, start + length)
    return isUpper ? text.toUpperCase() : text
  })
  .filter((text) => text !== 'kpi_token_' && text !== 'KPI_TOKEN_')

test('no part of a secret is left in an error, however the service cuts it', () => {
  fc.assert(
    fc.property(run, fc.constantFrom('', 'refused: '), fc.constantFrom('', '…', ' is wrong'), (part, before, after) => {
      const message = told(before + part + after)
      expect(message.startsWith(before)).toBe(true)
      expect(message.endsWith(after)).toBe(true)
      const pieces = Array.from({ length: part.length - 9 }, (_, at) => part.slice(at, at + 10))
      expect(pieces.filter((piece) => message.includes(piece) && piece.toLowerCase() !== 'kpi_token_')).toEqual([])
    }),
    { numRuns: 2000 },
  )
})

test.each(['the token has to begin with kpi_token_', 'user 12 has no KPI "Sales"', `${LOGIN} is locked`])(
  'what is no secret stays: %s',
  (message) => {
    expect(told(message)).toBe(message)
  },
)

test('an answer loses the secret wherever it is, and nothing else', () => {
  const json = (secret: string, name: string): never =>
    ({ id: 5, name: `a ${secret} b`, list: [null, true, { [name]: [secret, 'c'], kept: 'kpi_token_' }] }) as never
  const told = content(json(TOKEN, TOKEN), JSON.stringify(json(TOKEN, TOKEN)))
  expect(told).toEqual(json('…', '…'))
  expect(content(json('x', 'y'), '')).toEqual(json('x', 'y'))
})

test('a message of a megabyte is looked through in no time', () => {
  const before = process.cpuUsage().user
  expect(told(`${'x'.repeat(1_000_000)}${TOKEN.slice(12)}`)).toBe(`${'x'.repeat(1_000_000)}…`)
  expect(process.cpuUsage().user - before).toBeLessThan(2_000_000)
})
