import { afterAll, beforeAll, expect, test } from 'vitest'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
})
afterAll(async () => {
  await user[Symbol.asyncDispose]()
})

const FREQUENCIES = '--frequency must be one of daily (D), weekly (W), monthly (M), quarterly (Q), yearly (Y)'
const DIRECTIONS = '--value-direction must be one of up (U), down (D), none (N)'
const CREATE = 'kpis create --name X --frequency'

test.each<[line: string, message: string]>([
  [`${CREATE} dayly`, `${FREQUENCIES}; did you mean daily?`],
  [`${CREATE} month`, `${FREQUENCIES}; did you mean monthly?`],
  [`${CREATE} annual`, FREQUENCIES],
  [`${CREATE} hourly`, FREQUENCIES],
  [`${CREATE} z`, FREQUENCIES],
  [`${CREATE} D --value-direction dwon`, `${DIRECTIONS}; did you mean down?`],
  [`${CREATE} D --value-direction left`, DIRECTIONS],
  [
    `${CREATE} D --aggregate-function averag`,
    '--aggregate-function must be one of average (AVG), total (SUM); did you mean average?',
  ],
  ['kpis update 1 --frequency week', `${FREQUENCIES}; did you mean weekly?`],
  ['users update 1 --user-status lock', '--user-status must be one of active (A), locked (L); did you mean locked?'],
  [
    'users update 1 --user-type Manger',
    '--user-type must be one of Admin, Director, Manager, User; did you mean Manager?',
  ],
  ['entries import x.csv --create-missing --frequency dayly', `${FREQUENCIES}; did you mean daily?`],
  [
    'entries export --layout wid',
    "option '--layout <layout>' argument 'wid' is invalid. Allowed choices are long, wide; did you mean wide?",
  ],
  [
    'entries export --layout tall',
    "option '--layout <layout>' argument 'tall' is invalid. Allowed choices are long, wide.",
  ],
  [
    'completion bsh',
    "command-argument value 'bsh' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish, powershell; did you mean bash?",
  ],
  [
    'kpis list -o jsn',
    '--output jsn is no output format; there are table, csv, json, ndjson, yaml, markdown; did you mean json?',
  ],
  ['kpis list -o xml', '--output xml is no output format; there are table, csv, json, ndjson, yaml, markdown\n'],
  ['kpis list --log-format jso', '--log-format jso is no log format; there are text, json; did you mean json?'],
])('kpi %s', async (line, message) => {
  const ran = await user.kpi(...line.split(' '))
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toContain(message)
  expect(ran.stderr.includes('did you mean')).toBe(message.includes('did you mean'))
})

test('a flag with choices takes the other words that it knows for them', async () => {
  const ran = await user.kpi('entries', 'import', 'none.csv', '--encoding', 'cp1250')
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('none.csv')])
  const wrong = await user.kpi('entries', 'import', 'none.csv', '--encoding', 'cp125')
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Allowed choices are utf-8, utf-16le,')])
})
