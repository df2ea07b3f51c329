import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ROOT } from '../support/documents.ts'

/** Lists files that nothing imports: the program itself begins with them. */
const ENTRY_POINTS: ReadonlySet<string> = new Set([
  'src/cli/main.ts',
  'src/cli/version.ts',
  'src/store/sqlite/sqlite-thread.ts',
  'src/page/main.ts',
])

/** Names what a file takes from another one; `all` stands for whatever that exports. */
type Use = { readonly target: string; readonly names: readonly string[] | 'all' }

const IMPORT = /^(?:import|export)\b([^;'"]*?)from '(\.[^']+)'/gm
const LAZY_IMPORT = /(\{[^{}]*\})?(?: = |, )?(?:await )?import\(\s*'(\.[^']+)'/g
const EXPORT = /^export (?:async |abstract )?(?:const|let|function\*?|class|type|interface|enum) (\w+)/gm
const EXPORTED_LIST = /^export (?:type )?\{([^}]*)\}(?! from)/gm

/** Returns the TypeScript files of the project, by their paths within it. */
const projectFiles = (): Map<string, string> =>
  new Map(
    ['src', 'test', 'bench', 'docs'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(ROOT, folder, name))
        .map((path) => [relative(ROOT, path).replaceAll('\\', '/'), readFileSync(path, 'utf8')] as const),
    ),
  )

const namesIn = (list: string): string[] =>
  list.split(',').flatMap((part) => /^(?:type )?(\w+)/.exec(part.trim())?.[1] ?? [])

const targetOf = (file: string, path: string): string => join(dirname(file), path).replaceAll('\\', '/')

/** Returns what a file imports; a lazy import without a list of names counts as a use of everything. */
const usesOf = (file: string, text: string): Use[] => [
  ...[...text.matchAll(IMPORT)].map(([, list = '', path = '']) => ({
    target: targetOf(file, path),
    names: list.includes('*') ? ('all' as const) : namesIn(/\{([^}]*)\}/.exec(list)?.[1] ?? ''),
  })),
  ...[...text.matchAll(LAZY_IMPORT)].map(([, list, path = '']) => ({
    target: targetOf(file, path),
    names: list === undefined ? ('all' as const) : namesIn(list.slice(1, -1)),
  })),
]

/** Returns the exports and the files of `src` that nothing imports. */
export const findUnused = (files: ReadonlyMap<string, string>): string[] => {
  const uses = [...files].flatMap(([file, text]) => usesOf(file, text))
  return [...files].flatMap(([file, text]) => {
    if (!file.startsWith('src/') || ENTRY_POINTS.has(file)) return []
    const ofFile = uses.filter(({ target }) => target === file)
    if (ofFile.length === 0) return [`${file}: nothing imports it`]
    if (ofFile.some(({ names }) => names === 'all')) return []
    const used = new Set(ofFile.flatMap(({ names }) => names))
    const listed = [...text.matchAll(EXPORTED_LIST)].flatMap(([, list = '']) => namesIn(list))
    const exported = [...[...text.matchAll(EXPORT)].map(([, name = '']) => name), ...listed]
    return exported.filter((name) => !used.has(name)).map((name) => `${file}: nothing imports ${name}`)
  })
}

const FUNCTION = /^export (?:async )?(?:const|function\*?) (\w+)/gm

/** Returns the functions and constants of `src` that a single file of it imports: each might stand where it is used. */
export const findOfOne = (files: ReadonlyMap<string, string>): string[] => {
  const sources = [...files].filter(([file]) => file.startsWith('src/'))
  const users = new Map<string, Set<string>>()
  for (const [file, text] of sources) {
    for (const { target, names } of usesOf(file, text)) {
      for (const name of names === 'all' ? [] : names) {
        const key = `${target}: ${name}`
        users.set(key, (users.get(key) ?? new Set()).add(file))
      }
    }
  }
  return sources.flatMap(([file, text]) =>
    [...text.matchAll(FUNCTION)].map(([, name = '']) => `${file}: ${name}`).filter((key) => users.get(key)?.size === 1),
  )
}

/** Bounds how many of them stand in 1,000 lines of `src`, so that they only become fewer; lower it with them. */
const MOST_OF_ONE = 13.2

const linesOf = (files: ReadonlyMap<string, string>): number =>
  [...files].reduce((sum, [file, text]) => (file.startsWith('src/') ? sum + text.split('\n').length - 1 : sum), 0)

if (import.meta.main) {
  const files = projectFiles()
  const [ofOne, lines] = [findOfOne(files).length, linesOf(files)]
  if (ofOne * 1000 > MOST_OF_ONE * lines) {
    process.stderr.write(
      `${ofOne} exports in ${lines} lines have a single user, more than ${MOST_OF_ONE} in 1,000: put new ones where they are used\n`,
    )
    process.exitCode = 1
  }
  const unused = findUnused(files)
  for (const line of unused) process.stderr.write(`${line}; remove it, or its "export"\n`)
  if (unused.length > 0) process.exitCode = 1
}
