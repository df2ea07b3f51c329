import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/documents.ts'
import { type LanguageWords, platformWords, withoutDoubles } from './platform-words.ts'

/*
 * Adds the words of dates that this Node.js knows to the file that the program reads, a language on each line. What stands
 * in it stays, so that files are read as before by every version.
 */

const FILE = join(ROOT, 'src/reading/formats/calendar-words.json')

const kept = JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, LanguageWords>>
const found = platformWords()

const joined = (some: readonly string[] = [], others: readonly string[] = []): string[] =>
  [...new Set([...some, ...others])].toSorted()

const joinedNames = (some: LanguageWords['months'] = [], others: LanguageWords['months'] = []): string[][] =>
  Array.from({ length: Math.max(some.length, others.length) }, (_, at) => joined(some[at], others[at]))

const lines = joined(Object.keys(kept), Object.keys(found)).map((language) => {
  const [some, others] = [kept[language], found[language]]
  const words: LanguageWords = {
    name: some?.name ?? others?.name ?? language,
    months: withoutDoubles(joinedNames(some?.months, others?.months)),
    days: joinedNames(some?.days, others?.days),
    beside: joined(some?.beside, others?.beside),
  }
  return `${JSON.stringify(language)}:${JSON.stringify(words)}`
})
writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`)
