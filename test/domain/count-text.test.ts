import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { countedText, countOf, nounOf } from '../../src/domain/count-text.ts'
import { ROOT } from '../support/documents.ts'

test.each([
  [0, '0 rows', '0 entries', '0 rows', 'are'],
  [1, '1 row', '1 entry', '1 row', 'is'],
  [2, '2 rows', '2 entries', '2 rows', 'are'],
  [12_000, '12000 rows', '12000 entries', '12,000 rows', 'are'],
])('%d is said as people say it', (count, rows, entries, long, are) => {
  expect([
    countOf(count, 'row'),
    countOf(count, 'entry', 'entries'),
    countedText(count, 'row'),
    nounOf(count, 'is', 'are'),
  ]).toEqual([rows, entries, long, are])
})

/** Matches a count of what is left over, lost or done, which may be one, before a noun that is always plural. */
const ALWAYS_PLURAL =
  /\$\{(?:countText\()?(?:more|others|lost|left|done|again)\)?\} (?:more |other |new )*(?!is\b)[A-Za-z]+s\b/

/** Matches what decides between one and many by itself. */
const DECIDES = /=== 1/

test('no message makes a plural of a count that may be one', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((one) =>
    one.endsWith('.ts'),
  )
  const found = files.flatMap((file) => {
    const lines = readFileSync(join(ROOT, 'src', file), 'utf8').split('\n')
    return lines.flatMap((line, at) =>
      ALWAYS_PLURAL.test(line) && !DECIDES.test(lines.slice(Math.max(0, at - 3), at + 1).join(' '))
        ? [`${file}: ${line.trim()}`]
        : [],
    )
  })
  expect(found).toEqual([])
})
