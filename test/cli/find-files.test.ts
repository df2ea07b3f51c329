import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { faultOfPattern, findFiles } from '../../src/cli/commands/run/find-files.ts'
import { temporaryFolder } from '../support/folder.ts'

describe('a pattern of files', () => {
  test.each([
    'inbox/*.csv',
    '**/*-[0-9]*.{csv,xlsx}',
    'a/**/b/**/*.csv',
    '{01..31}.{01..12}.csv',
    '*_*-*-*.csv',
    'a(1)*.csv',
  ])('is searched: %s', (pattern) => expect(faultOfPattern(pattern)).toBeUndefined())

  test.each([
    [`${'*a'.repeat(30)} b.csv`, 'has more than 4 times * in one name; leave some out'],
    [`${'?(a)'.repeat(30)}b.csv`, 'has more than 4 times * in one name; leave some out'],
    ['+(a|aa)b.csv', 'repeats what is in brackets; write [(] for a bracket that is part of a name'],
    [`x/${'{a,b}'.repeat(28)}*.csv`, 'stands for more than 1000 patterns; write * for what differs'],
    ['{1..10000000}.csv', 'stands for more than 1000 patterns; write * for what differs'],
    [`${'**/a/'.repeat(30)}*.csv`, 'has a * in more than 4 folders; name the folders'],
    [`*${'a'.repeat(5000)}`, 'has more than 4096 characters; shorten it'],
  ])('is refused if it could take long to match: %.30s', (pattern, why) => {
    expect(faultOfPattern(pattern)).toContain(why)
  })

  test('of four wildcards is matched at once, however alike the names are', async () => {
    using home = temporaryFolder()
    writeFileSync(home.in('a'.repeat(200)), '')
    const began = performance.now()
    expect(await findFiles('*a*a*a*ab.csv', home.path, new AbortController().signal)).toEqual([])
    expect(performance.now() - began).toBeLessThan(20_000)
  })

  test('is not searched any longer once the work is to end', async () => {
    using home = temporaryFolder()
    writeFileSync(home.in('a.csv'), '')
    await expect(findFiles('*.csv', home.path, AbortSignal.abort())).rejects.toThrow(
      'stopped while files were looked for',
    )
  })
})
