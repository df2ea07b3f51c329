import { expect, test } from 'vitest'
import { findOfOne, findUnused } from './check.ts'

const USER = "import { one } from './one.ts'\nconst { lazy } = await import('./lazy.ts')\n"

test.each([
  ['export const one = 1\n', []],
  ['export const one = 1\nexport const other = 2\n', ['src/one.ts: nothing imports other']],
  ['export const one = 1\nexport type Other = number\n', ['src/one.ts: nothing imports Other']],
])('names exports that nothing imports: %j', (text, unused) => {
  const files = new Map([
    ['src/one.ts', text],
    ['src/lazy.ts', 'export const lazy = 3\n'],
    ['src/cli/main.ts', 'export const run = 4\n'],
    ['test/user.ts', USER.replaceAll("'./", "'../src/")],
  ])
  expect(findUnused(files)).toEqual(unused)
})

test('names files that nothing imports', () => {
  expect(findUnused(new Map([['src/lost.ts', 'export const lost = 1\n']]))).toEqual(['src/lost.ts: nothing imports it'])
})

test('names functions that a single file of the sources imports', () => {
  const files = new Map([
    ['src/one.ts', 'export const one = 1\nexport const two = 2\n'],
    ['src/user.ts', "import { one, two } from './one.ts'\n"],
    ['src/other.ts', "import { two } from './one.ts'\n"],
    ['test/user.ts', "import { one } from '../src/one.ts'\n"],
  ])
  expect(findOfOne(files)).toEqual(['src/one.ts: one'])
})
