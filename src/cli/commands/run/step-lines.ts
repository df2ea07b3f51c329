import { join, parse, resolve } from 'node:path'
import { isAddress, shownSource } from '../../../client/http/address.ts'
import { shownWebhook } from '../../../client/http/webhook.ts'
import { parseRelativeDate } from '../../args/relative-dates.ts'
import { formatDay, type Day } from '../../../domain/day.ts'
import { isDevice } from '../../../files/place.ts'
import { rejectsOfStem, stemOf, stemOfSource } from '../entries/import/sources.ts'
import { asPath, shellWord } from '../../output/text.ts'
import { findFiles } from './find-files.ts'
import { stepKinds } from './job-definition.ts'
import type { FlagWords, Step } from './step.ts'

/** Matches files of rejected rows, which are imported once somebody has mended them. */
const REJECTS = /\.rejects(?:\.\d+)?\.[a-z]+$/i

/** Tells whether a file is one of rejected rows, which no pattern finds. */
export const isRejects = (file: string): boolean => REJECTS.test(file)

const WILDCARD = /[*?[{]/

/** Tells whether a target stands for the files that it finds; in an address, a question mark begins its query. */
export const isPattern = (target: string): boolean => WILDCARD.test(target) && !isAddress(target)

/** Lists the flags that take a day, but for that of an import, whose journal holds the day of its word. */
const DAYS: ReadonlySet<string> = new Set(['from', 'to'])

/** Stands for the day on which a job began. */
export const DATE = '{date}'

/** Puts the day on which a job began in the place of `{date}`. */
export const dated = (text: string, today: Day): string => text.replaceAll(DATE, formatDay(today))

/** Returns the words of a step's flags; words for single days are days already. */
export const flagWords = (flags: FlagWords, today: Day): string[] =>
  flags.flatMap(([flag, value]) => {
    if (value === true) return [`--${flag}`]
    const text = dated(value, today)
    return [`--${flag}`, DAYS.has(flag) ? parseRelativeDate(text, today) : text]
  })

/** Returns what a step names as an argument of its command, which is never a flag. */
export const argumentOf = (target: string): string => (target === '-' || isAddress(target) ? target : asPath(target))

/** Describes where the files of a step are looked for, on which day the job began, and what ends the search. */
export type LinesPlace = { readonly cwd: string; readonly today: Day; readonly signal: AbortSignal }

/**
 * Returns the files that a step imports, each once, in the order of their names; a name without a wildcard stands for
 * itself.
 */
const filesOf = async (patterns: readonly string[], { cwd, today, signal }: LinesPlace): Promise<string[]> => {
  const files: string[] = []
  for (const name of patterns.map((pattern) => dated(pattern, today))) {
    if (!isPattern(name)) files.push(argumentOf(name))
    else {
      const found = await findFiles(name, cwd, signal)
      files.push(...found.filter((file) => !isRejects(file)).toSorted().map(asPath)) // prettier-ignore
    }
  }
  return [...new Set(files)]
}

/** Returns the files of rejected rows where a step finds its files by a pattern, but for those that the step writes anew. */
export const waitingRejects = async ({ kind, targets }: Step, place: LinesPlace): Promise<string[]> => {
  if (kind !== 'import') return []
  const anew = new Set((await filesOf(targets, place)).map((file) => rejectsOfStem(stemOfSource(place.cwd, file))))
  const patterns = targets.map((target) => dated(target, place.today)).filter(isPattern)
  const found: string[] = []
  for (const name of patterns) found.push(...(await findFiles(name, place.cwd, place.signal)))
  return [...new Set(found)].filter((file) => isRejects(file) && !anew.has(file)).toSorted()
}

/** Describes one command line of a step; an import has one for each file. */
export type StepLine = {
  readonly words: readonly string[]
  readonly file: string | undefined
  /** Tells that a pattern found the file, and that nobody named it. */
  readonly isFound?: boolean
  /** Names the file to which an import writes rejected rows. */
  readonly rejects?: string
}

/** Names the address of a webhook, of which nothing after the host is shown. */
const shownHook = ({ targets: [target], address: { env, file } }: Step): string => {
  const url = target === undefined ? null : URL.parse(target)
  return url ? shownWebhook(url) : `at the address in ${env ?? file}`
}

/** Returns the words of a step as a shell reads them; those of a webhook are for people alone. */
export const lineText = ({ kind }: Step, words: readonly string[]): string =>
  (kind === 'webhook' ? words : words.map((word) => shellWord(shownSource(word)))).join(' ')

/** Returns `export-2.rejects.csv` for `export.rejects.csv`. */
const numbered = (path: string, number: number): string => {
  const { dir, base } = parse(path)
  const end = /(?:\.rejects)?\.[^.]*$/.exec(base)?.index ?? base.length
  return join(dir, `${base.slice(0, end)}-${number}${base.slice(end)}`)
}

/** Returns the first path that nothing in `taken` has, and adds it there: that of a rejects file, or a numbered one. */
const freePath = (cwd: string, path: string, taken: Set<string>): string => {
  let free = path
  for (let number = 2; taken.has(resolve(cwd, free)); number += 1) free = numbered(path, number)
  taken.add(resolve(cwd, free))
  return free
}

/**
 * Returns the command line that imports a file, or the result of a query. Its rejects go to a file of their own: to the
 * usual one, or where another import of the job has that, to a numbered one.
 */
const importLine = (
  { flags }: Step,
  file: string | undefined,
  { cwd, today }: { readonly cwd: string; readonly today: Day },
  taken: Set<string>,
): StepLine => {
  const valueOf = (name: string): string | undefined => {
    const value = flags.find(([flag]) => flag === name)?.[1]
    return typeof value === 'string' ? dated(value, today) : undefined
  }
  const named = valueOf('rejects')
  const stem = file === undefined ? stemOf(valueOf('from-db') ?? '') : stemOfSource(cwd, file)
  const usual = named ?? rejectsOfStem(stem)
  const own = isDevice(resolve(cwd, usual)) ? usual : freePath(cwd, usual, taken)
  const others = flags.filter(([flag]) => flag !== 'rejects')
  return {
    words: [
      ...stepKinds.import.words,
      ...(file === undefined ? [] : [file]),
      ...flagWords(own === named ? flags : others, today),
      ...(own === usual ? [] : ['--rejects', own]),
    ],
    file,
    rejects: own,
  }
}

/** Returns the command lines that a step stands for; `taken` holds the rejects files of earlier imports of the job. */
export const linesOf = async (step: Step, place: LinesPlace, taken = new Set<string>()): Promise<StepLine[]> => {
  const { today } = place
  const { words, flag } = stepKinds[step.kind]
  if (step.kind === 'import') {
    const named = new Set(step.targets.map((target) => argumentOf(dated(target, today))))
    const files = step.targets.length === 0 ? [undefined] : await filesOf(step.targets, place)
    return files.map((file) => ({
      ...importLine(step, file, place, taken),
      isFound: file !== undefined && !named.has(file),
    }))
  }
  const flags = flagWords(step.flags, today)
  if (step.kind === 'webhook') return [{ words: ['webhook', shownHook(step)], file: undefined }]
  const targets = step.targets.map((target) => dated(target, today))
  const own = flag === undefined ? targets.map(argumentOf) : targets.flatMap((target) => [flag, target])
  return [{ words: [...words, ...own, ...flags], file: undefined }]
}
