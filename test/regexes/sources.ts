import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseAst } from 'rolldown/parseAst'
import { ROOT } from '../support/documents.ts'

/** A regular expression of the sources: where it stands, and what it is once the program runs. */
export type FoundRegex = {
  readonly file: string
  readonly line: number
  readonly source: string
  readonly flags: string
}

/** A place where the sources make a regular expression out of a text. */
type MadeAt = Pick<FoundRegex, 'file' | 'line'> & { readonly column: number }

type SyntaxNode = Readonly<Record<string, unknown>>

const SOURCES = join(ROOT, 'src')
const SOURCES_URL = `${pathToFileURL(SOURCES).href}/`

const isNode = (value: unknown): value is SyntaxNode => typeof value === 'object' && value !== null

/** Yields every node of a syntax tree. */
function* nodesIn(value: unknown): Generator<SyntaxNode> {
  if (!isNode(value)) return
  yield value
  for (const child of Object.values(value)) yield* nodesIn(child)
}

const isMaking = ({ type, callee }: SyntaxNode): boolean =>
  (type === 'NewExpression' || type === 'CallExpression') && isNode(callee) && callee['name'] === 'RegExp'

const positionOf = (text: string, { start }: SyntaxNode): { readonly line: number; readonly column: number } => {
  const lines = text.slice(0, Number(start)).split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

/** Finds the literals of a file, and the places where it makes regular expressions, by the syntax tree of TypeScript. */
const readSource = (file: string): { readonly literals: FoundRegex[]; readonly made: MadeAt[] } => {
  const text = readFileSync(join(SOURCES, file), 'utf8')
  const literals: FoundRegex[] = []
  const made: MadeAt[] = []
  for (const node of nodesIn(parseAst(text, { lang: 'ts' }))) {
    const { line, column } = positionOf(text, node)
    const regex = node['regex'] as { readonly pattern: string; readonly flags: string } | undefined
    if (node['type'] === 'Literal' && regex) literals.push({ file, line, source: regex.pattern, flags: regex.flags })
    if (isMaking(node)) made.push({ file, line, column })
  }
  return { literals, made }
}

/** Returns where in the sources a constructor was called, by the stack of an error: file, line and column. */
const callerIn = (stack: string): string | undefined => {
  const from = stack.indexOf(SOURCES_URL)
  return from < 0 ? undefined : /^[^\s)]+/.exec(stack.slice(from + SOURCES_URL.length))?.[0]
}

/** Forms of dates besides the known ones, as users may give them: several blanks in a row, blanks at the ends. */
const DATE_FORMATS = ['DD  MMMM\t\u00a0 YYYY ', ' D MMM, YY', '[den] DD. MM. YYYY', 'YYYY-[W]WW', 'Q. YYYY']

/** Runs what makes regular expressions only when it is called. */
const exercise = async (): Promise<void> => {
  const { dateFormat } = await import('../../src/reading/formats/date-format.ts')
  for (const text of DATE_FORMATS) dateFormat(text)
}

/** Loads the files that make regular expressions and records each by the place that makes it. */
const recordMade = async (files: Iterable<string>): Promise<ReadonlyMap<string, readonly RegExp[]>> => {
  const recorded = new Map<string, RegExp[]>()
  const Plain = globalThis.RegExp
  const record = ([source, flags]: readonly (string | undefined)[]): RegExp => {
    const made = new Plain(source ?? '', flags)
    const place = callerIn(new Error('where').stack ?? '')
    if (place !== undefined) recorded.set(place, [...(recorded.get(place) ?? []), made])
    return made
  }
  globalThis.RegExp = new Proxy(Plain, { construct: (_, args) => record(args), apply: (_, __, args) => record(args) })
  for (const file of files) await import(SOURCES_URL + file)
  await exercise()
  globalThis.RegExp = Plain
  return recorded
}

/**
 * Finds every regular expression of the sources: literals, and those made of texts, which are read off the running
 * program. Throws where one is made that was never seen.
 */
export const findRegexes = async (): Promise<FoundRegex[]> => {
  const names = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
  const files = names.filter((name) => name.endsWith('.ts')).map(readSource)
  const made = files.flatMap((file) => file.made)
  const recorded = await recordMade(new Set(made.map(({ file }) => file)))
  const seen = made.flatMap(({ file, line, column }) => {
    const regexes = recorded.get(`${file}:${line}:${column}`)
    if (!regexes)
      throw new Error(`src/${file}:${line} makes a regular expression that test/regexes/sources.ts never runs`)
    return regexes.map(({ source, flags }) => ({ file, line, source, flags }))
  })
  return [...files.flatMap(({ literals }) => literals), ...seen]
}
