import { join, parse, resolve } from 'node:path'
import { isAddress, shownSource } from '../../../client/http/address.ts'
import { shownWebhook } from '../../../client/http/webhook.ts'
import { isDevice } from '../../../files/place.ts'
import type { Cli } from '../../cli.ts'
import { asPath, shellWord } from '../../output/text.ts'
import { placeFlags, stepFlags, withWholePaths } from '../../target/settings.ts'
import { rejectsOfStem, stemOf, stemOfSource } from '../entries/import/sources.ts'
import { findFiles } from './find-files.ts'
import { argumentOf, flagOf } from './line-parts.ts'
import { argumentsOf, isImport, type Step, textOfFlag } from './step.ts'

/** Matches files of rejected rows, which are imported once somebody has mended them. */
const REJECTS = /\.rejects(?:\.\d+)?\.[a-z]+$/i

/** Tells whether a file is one of rejected rows, which no pattern finds. */
export const isRejects = (file: string): boolean => REJECTS.test(file)

const WILDCARD = /[*?[{]/

/** Tells whether a target stands for the files that it finds; in an address, a question mark begins its query. */
export const isPattern = (target: string): boolean => WILDCARD.test(target) && !isAddress(target)

/** Returns the words of a step's command. */
export const commandWords = ({ parts }: Step): string[] =>
  parts.flatMap(({ of, words }) => (of === 'command' ? words : []))

/** Returns the words of a step's flags. */
export const flagWords = ({ parts }: Step): string[] => parts.flatMap(({ of, words }) => (of === 'flag' ? words : []))

/** Describes where the files of a step are looked for, and what ends the search. */
export type LinesPlace = { readonly cwd: string; readonly signal: AbortSignal }

/**
 * Returns the files that a step imports, each once, in the order of their names; a name without a wildcard stands for
 * itself.
 */
const filesOf = async (patterns: readonly string[], { cwd, signal }: LinesPlace): Promise<string[]> => {
  const files: string[] = []
  for (const name of patterns) {
    if (!isPattern(name)) files.push(argumentOf(name))
    else {
      const found = await findFiles(name, cwd, signal)
      files.push(...found.filter((file) => !isRejects(file)).toSorted().map(asPath)) // prettier-ignore
    }
  }
  return [...new Set(files)]
}

/** Returns the files of rejected rows where a step finds its files by a pattern, but for those that the step writes anew. */
export const waitingRejects = async (step: Step, place: LinesPlace): Promise<string[]> => {
  if (!isImport(step)) return []
  const targets = argumentsOf(step)
  const anew = new Set((await filesOf(targets, place)).map((file) => rejectsOfStem(stemOfSource(place.cwd, file))))
  const found: string[] = []
  for (const name of targets.filter(isPattern)) found.push(...(await findFiles(name, place.cwd, place.signal)))
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
const shownHook = ({ url: given, address: { env, file } }: Step): string => {
  const url = given === undefined ? null : URL.parse(given)
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
const importLine = (step: Step, file: string | undefined, cwd: string, taken: Set<string>): StepLine => {
  const named = textOfFlag(step, 'rejects')
  const stem = file === undefined ? stemOf(textOfFlag(step, 'fromDb') ?? '') : stemOfSource(cwd, file)
  const usual = named ?? rejectsOfStem(stem)
  const own = isDevice(resolve(cwd, usual)) ? usual : freePath(cwd, usual, taken)
  const flags = step.parts.filter((part) => part.of === 'flag' && (own === named || flagOf(part) !== '--rejects'))
  return {
    words: [
      ...commandWords(step),
      ...(file === undefined ? [] : [file]),
      ...flags.flatMap(({ words }) => words),
      ...(own === usual ? [] : ['--rejects', own]),
    ],
    file,
    rejects: own,
  }
}

/** Returns the command lines that a step stands for; `taken` holds the rejects files of earlier imports of the job. */
export const linesOf = async (step: Step, place: LinesPlace, taken = new Set<string>()): Promise<StepLine[]> => {
  if (step.kind === 'webhook') return [{ words: ['webhook', shownHook(step)], file: undefined }]
  if (!isImport(step)) return [{ words: step.parts.flatMap(({ words }) => words), file: undefined }]
  const named = argumentsOf(step)
  const files = named.length === 0 ? [undefined] : await filesOf(named, place)
  return files.map((file) => ({
    ...importLine(step, file, place.cwd, taken),
    isFound: file !== undefined && !named.includes(file),
  }))
}

/** Returns the words of a line with days in the place of words for them, and with those that it leaves open. */
export const withDays = (words: readonly string[], days: Readonly<Record<string, string>>): readonly string[] => {
  let line = words
  for (const [flag, day] of Object.entries(days)) {
    const behind = line.indexOf('--')
    // Stay before --, behind which it would be an argument.
    const end = behind < 0 ? line.length : behind
    const at = line.findIndex((word, index) => index < end && (word === flag || word.startsWith(`${flag}=`)))
    if (at < 0) line = line.toSpliced(end, 0, flag, day)
    else line = line.toSpliced(at, line[at] === flag ? 2 : 1, flag, day)
  }
  return line
}

/** Matches the flags that name a place. */
const PLACE = /^(?:-p.*|--(?:profile|data-dir|store)(?:=.*)?)$/s

/** Returns the flags of the job's own line that hold for each of its steps; a step may name another place. */
const sharedFlags = ({ io, flags }: Cli, words: readonly string[]): string[] => {
  // Steps run in the folder of the job, and the line was typed in another one.
  const moved = withWholePaths(flags, io.cwd)
  return [...(words.some((word) => PLACE.test(word)) ? [] : placeFlags(moved)), ...stepFlags(moved)]
}

/** Returns a command line of a step as a shell in the folder of the job runs it: with the flags of the job's own line. */
export const pastedLine = (cli: Cli, step: Step, text: string): string =>
  [
    'kpi',
    ...sharedFlags(
      cli,
      step.parts.flatMap(({ words }) => words),
    ).map((word) => shellWord(shownSource(word))),
    text,
  ].join(' ')

/** Returns a command line of a step as the program gets it: with the flags of the job's own line, which its own replace. */
export const wholeLine = (cli: Cli, words: readonly string[]): string[] => [
  ...sharedFlags(cli, words),
  '--no-input',
  ...words,
]
