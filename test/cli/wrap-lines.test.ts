import { describe, expect, test } from 'vitest'
import { run } from '../../src/cli/main.ts'
import { reflow, wrapLines } from '../../src/cli/output/wrap-lines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { testIo } from '../support/io.ts'

describe('lines for a terminal', () => {
  test('end between words, and keep their indent', async () => {
    expect(await wrapLines('kpi: 2 rows rejected\n  name: is there already\n', 14)).toBe(
      'kpi: 2 rows\nrejected\n  name: is\n  there\n  already\n',
    )
  })

  test('keep command lines whole, and JSON as it is', async () => {
    expect(await wrapLines('undo it: kpi entries undo a.csv --yes', 20)).toBe('undo it:\nkpi entries undo a.csv --yes')
    expect(await wrapLines('write it as kpi kpis list', 15)).toBe('write it as\nkpi kpis list')
    expect(await wrapLines('{"error": {"code": "usage"}}', 10)).toBe('{"error": {"code": "usage"}}')
  })

  test('never break a word, and measure wide characters', async () => {
    expect(await wrapLines('see /a/very/long/path.csv now', 10)).toBe('see\n/a/very/long/path.csv\nnow')
    expect(await wrapLines('売上 売上 ab', 9)).toBe('売上 売上\nab')
  })
})

describe('closing paragraphs of help', () => {
  test('are joined and wrapped at the width; lists hang below their last column', () => {
    expect(reflow('\nA row whose key\nis there is kept.\n\nSteps:\n  check   looks for missing values\n', 20)).toBe(
      '\nA row whose key is\nthere is kept.\n\nSteps:\n  check   looks for\n          missing\n          values\n',
    )
  })

  test('keep command lines whole, and mark comments on each line', () => {
    expect(reflow('Examples:\n  kpi kpis list --columns id', 12)).toBe('Examples:\n  kpi kpis list --columns id')
    expect(reflow('  a: 1    # one two three', 20)).toBe('  a: 1    # one two\n          # three')
  })
})

const LINES = [
  ['run'],
  ['kpis', 'import'],
  ['kpis', 'create'],
  ['entries', 'import'],
  ['report'],
  ['service', 'keys', 'create'],
]

test.each([50, 80, 120])('help at %i columns has no line that the screen breaks in a word', async (terminal) => {
  using home = temporaryFolder()
  for (const line of LINES.flatMap((one) => [one, [...one, '--all']])) {
    const world = testIo({ home: home.path, terminal })
    await run([...line, '--help'], world.io)
    const tooLong = world
      .stdout()
      .split('\n')
      // What is pasted stays whole, and so does one long word.
      .filter((text) => text.length > terminal && !text.startsWith('  kpi ') && text.trim().includes(' '))
    expect(tooLong).toEqual([])
    expect(world.stdout()).toMatch(/^Usage: kpi /)
  }
})

test('errors at a terminal end their lines between words', async () => {
  using home = temporaryFolder()
  const world = testIo({ home: home.path, terminal: 30 })
  await run(['kpis', 'list', '--colums', 'id'], world.io)
  expect(world.stderr()).toBe(
    "kpi kpis list: unknown option\n'--colums' (Did you mean\n--columns?);\nkpi kpis list --help shows what there is\n",
  )
})
