import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../support/documents.ts'
import { foldWord } from '../../src/reading/formats/calendar-names.ts'
import { type LanguageWords, platformWords } from './platform-words.ts'

const kept = JSON.parse(readFileSync(join(ROOT, 'src/reading/formats/calendar-words.json'), 'utf8')) as Readonly<
  Record<string, LanguageWords>
>

/**
 * Words that the platform of another version of Node.js has and the file has not, as `language: word`. Whoever lists one
 * makes the file anew with `npm run calendar` once no supported version is without it.
 */
const ADDED: ReadonlySet<string> = new Set([])

const wordsIn = ({ months, days, beside }: LanguageWords): string[] => [
  ...months.flatMap((names, at) => names.map((name) => `month ${at + 1} ${name}`)),
  ...days.flatMap((names, at) => names.map((name) => `day ${at + 1} ${name}`)),
  ...beside.map((word) => `beside ${word}`),
]

test('the words of dates are all that the platform has, and what it adds is listed', () => {
  const missing = Object.entries(platformWords()).flatMap(([language, words]) => {
    const own = kept[language]
    const known = new Set(own ? wordsIn(own) : [])
    return wordsIn(words)
      .filter((word) => !known.has(word))
      .map((word) => `${language}: ${word}`)
  })
  expect(missing.filter((word) => !ADDED.has(word))).toEqual([])
})

test('the words of dates are kept in the form in which they are compared', () => {
  const words = Object.values(kept).flatMap(({ months, days, beside }) => [...months.flat(), ...days.flat(), ...beside])
  expect(words.filter((word) => foldWord(word) !== word)).toEqual([])
})
