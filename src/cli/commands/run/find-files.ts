import { glob } from 'node:fs/promises'
import { Aborted } from '../../../client/transport.ts'
import { UsageError } from '../../exit.ts'

/** Bounds a pattern of files, so that none takes long to match. */
const MOST = { characters: 4096, wildcards: 4, folders: 4, alternatives: 1000 }
/** Bounds the files and folders that a pattern looks at. */
const MOST_SEEN = 100_000

/** Returns how many alternatives a pattern has at most: `{a,b}` are two, `{1..9}` nine. */
const countAlternatives = (pattern: string): number => {
  const ranges = [...pattern.matchAll(/\{(-?\w+)\.\.(-?\w+)/g)].map(([, from, to]) => {
    const size = Math.abs(Number(to) - Number(from)) + 1
    // Letters count as their places in the alphabet.
    return Number.isNaN(size) ? 128 : size
  })
  const lists = pattern.split('{').map((part) => part.split(',').length)
  return [...ranges, ...lists].reduce((product, one) => product * one, 1)
}

/** Returns why a pattern could take long to match; undefined if it cannot. */
export const faultOfPattern = (pattern: string): string | undefined => {
  if (pattern.length > MOST.characters) return `a pattern has more than ${MOST.characters} characters; shorten it`
  if (/[*+]\(/.test(pattern))
    return `${pattern} repeats what is in brackets; write [(] for a bracket that is part of a name`
  if (countAlternatives(pattern) > MOST.alternatives)
    return `${pattern} stands for more than ${MOST.alternatives} patterns; write * for what differs`
  const parts = pattern.split('/')
  if (parts.slice(0, -1).filter((part) => part.includes('*')).length > MOST.folders)
    return `${pattern} has a * in more than ${MOST.folders} folders; name the folders`
  const isWild = (part: string): boolean => (part.match(/\*|[?!]\(/g) ?? []).length > MOST.wildcards
  if (parts.some((part) => part !== '**' && isWild(part)))
    return `${pattern} has more than ${MOST.wildcards} times * in one name; leave some out`
  return undefined
}

/** Finds the files of a pattern, until the signal is aborted; refuses one that looks at very many files. */
export const findFiles = async (pattern: string, cwd: string, signal: AbortSignal): Promise<string[]> => {
  let seen = 0
  const throwIfAborted = (): void => {
    if (signal.aborted) throw new Aborted('stopped while files were looked for; run the same command again')
  }
  const look = (): boolean => {
    seen += 1
    throwIfAborted()
    if (seen <= MOST_SEEN) return false
    throw new UsageError(`${pattern} looks at more than ${MOST_SEEN} files; name the folders instead of **`)
  }
  const files: string[] = []
  for await (const file of glob(pattern, { cwd, exclude: look })) {
    throwIfAborted()
    files.push(file)
  }
  return files
}
