import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from './support/documents.ts'

const SOURCE = join(ROOT, 'src')

/** Which folder may import from which, besides itself (docs/architecture.md). */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  codec: ['domain'],
  files: ['domain'],
  store: ['domain', 'files'],
  service: ['domain', 'store'],
  server: ['domain', 'codec', 'service', 'store'],
  client: ['domain', 'codec', 'files'],
  runs: ['domain', 'codec', 'files'],
  changes: ['domain', 'codec', 'client', 'files', 'runs'],
  blocks: ['domain', 'files'],
  tabular: ['domain', 'codec', 'client', 'files'],
  reading: ['domain', 'codec', 'client', 'files', 'changes', 'blocks', 'tabular'],
  loading: ['domain', 'codec', 'client', 'files', 'runs', 'changes', 'blocks', 'tabular', 'reading'],
  export: ['domain', 'codec', 'client', 'files', 'tabular', 'reading'],
  cli: ['domain', 'codec', 'client', 'files', 'runs', 'changes', 'tabular', 'reading', 'loading', 'export'],
  page: ['domain'],
}

/** Of what a folder may import, what it may know as types only: the server knows the store's seam and runs no SQL. */
const TYPES_ONLY: Readonly<Record<string, readonly string[]>> = { server: ['store'] }

/** The part of the command line that is the bundled service's own side: files, and folders. */
const BUNDLED_SERVICE: readonly string[] = [
  'cli/embedded.ts',
  'cli/embedded-batch.ts',
  'cli/target/bundled-store.ts',
  'cli/target/postgres-url.ts',
  'cli/serve/',
  'cli/commands/service/',
]
const isBundledService = (file: string): boolean => BUNDLED_SERVICE.some((part) => file.startsWith(part))

/**
 * Files that folders below their own still import. What a folder and one within it both need belongs in a folder beside
 * the latter, so this list may only become shorter.
 */
const IMPORTED_FROM_BELOW: readonly string[] = [
  'cli/cli.ts',
  'cli/commands/entries/import-command.ts',
  'cli/embedded.ts',
  'cli/exit.ts',
  'cli/failure.ts',
  'cli/io.ts',
  'cli/standard-output.ts',
  'cli/stderr.ts',
  'cli/v8-flags.ts',
  'client/client.ts',
  'client/directory.ts',
  'client/operations/queries.ts',
  'client/request-observer.ts',
  'client/retry.ts',
  'client/transport.ts',
  'client/unknown-outcome.ts',
  'domain/day.ts',
  'domain/decimal.ts',
  'domain/errors.ts',
  'domain/key-state.ts',
  'domain/period.ts',
  'domain/report.ts',
  'domain/schema.ts',
  'domain/scopes.ts',
  'export/chunks.ts',
  'export/sheet-records.ts',
  'export/text-format.ts',
  'server/api/body-format.ts',
  'server/api/call.ts',
  'server/api/problem.ts',
  'server/api/protocol.ts',
  'server/api/query.ts',
  'server/request-target.ts',
  'server/wire.ts',
  'service/collection.ts',
  'service/context.ts',
  'service/versioned-cache.ts',
  'store/db.ts',
  'store/dialect.ts',
  'store/queue.ts',
]

/** Folders that the rest of the sources enter by one file only. */
const ENTRANCES: readonly string[] = ['tabular/encoding/encoding.ts', 'tabular/workbook/open-workbook.ts']

/** The folders in which each package is used. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  '@commander-js/extra-typings': ['cli'],
  inquirer: ['cli'],
  conf: ['cli'],
  ora: ['cli'],
  'cli-table3': ['cli'],
  'string-width': ['cli'],
  undici: ['client'],
  leven: ['client'],
  yaml: ['changes', 'cli', 'codec'],
  'jq-wasm': ['cli'],
  'csv-parse': ['tabular'],
  'csv-stringify': ['codec', 'reading', 'export'],
  saxes: ['codec', 'tabular'],
  yauzl: ['tabular'],
  '@cj-tech-master/excelts': ['export'],
  pg: ['store'],
  'content-type': ['server'],
  'prom-client': ['server'],
  uplot: ['page'],
}

/** What only the outermost files may touch: the process, the console, the clock, chance. */
const OUTSIDE_WORLD =
  /\bprocess\.|\bconsole\.|\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bMath\.random\b|\brandom(?:Bytes|UUID)\(/

/** An import of a file: `import type`, which is gone when the program runs, or one that loads its target. */
type Import = { readonly file: string; readonly target: string; readonly isType: boolean }

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts'))

/** A file without its comments. */
const textOf = (file: string): string =>
  readFileSync(join(SOURCE, file), 'utf8').replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')

const imports: readonly Import[] = files.flatMap((file) =>
  [...textOf(file).matchAll(/(?:^(?:import|export)\b[^;'"]*?from |\bimport\()'([^']+)'/gm)].map(
    ([line, target = '']) => ({ file, target, isType: /^(?:import|export) type\b/.test(line) }),
  ),
)

const folderOf = (file: string): string => file.split('/')[0] ?? ''

/** The file within the sources that an import names; undefined for a package. */
const fileOf = ({ file, target }: Import): string | undefined =>
  target.startsWith('.') ? relative(SOURCE, join(SOURCE, dirname(file), target)).replaceAll('\\', '/') : undefined

describe('the folders', () => {
  test.each(Object.keys(MAY_IMPORT))('%s imports only what it may', (folder) => {
    const allowed = new Set([folder, ...(MAY_IMPORT[folder] ?? [])])
    const wrong = imports.filter((one) => {
      const target = fileOf(one)
      if (folderOf(one.file) !== folder || target === undefined || target.startsWith('..')) return false
      return !allowed.has(folderOf(target)) && !isBundledService(one.file)
    })
    expect(wrong).toEqual([])
  })

  test.each(Object.entries(TYPES_ONLY))('%s imports only types from %j', (folder, known) => {
    const wrong = imports.filter((one) => {
      const target = fileOf(one)
      return folderOf(one.file) === folder && target !== undefined && known.includes(folderOf(target)) && !one.isType
    })
    expect(wrong).toEqual([])
  })

  test('of one layer do not import each other', () => {
    const folders = imports.flatMap((one) => {
      const target = fileOf(one)
      if (target === undefined || target.startsWith('..')) return []
      return [[dirname(one.file), dirname(target)] as const]
    })
    const isWithin = (inner: string, outer: string): boolean => `${inner}/`.startsWith(`${outer}/`)
    const between = new Set(
      folders.filter(([from, to]) => !isWithin(from, to) && !isWithin(to, from)).map((pair) => pair.join(' and ')),
    )
    const both = [...between].filter((pair) => between.has(pair.split(' and ').toReversed().join(' and ')))
    expect(both).toEqual([])
  })

  test('within a folder import nothing of it, but for files that are listed and still needed', () => {
    const upward = imports.flatMap((one) => {
      const target = fileOf(one)
      return target !== undefined && dirname(one.file).startsWith(`${dirname(target)}/`) ? [target] : []
    })
    expect([...new Set(upward)].sort()).toEqual(IMPORTED_FROM_BELOW)
  })

  test.each(ENTRANCES)('around it are entered by %s only', (entrance) => {
    const wrong = imports.filter((one) => {
      const target = fileOf(one)
      return target !== undefined && dirname(target) === dirname(entrance) && target !== entrance
        ? dirname(one.file) !== dirname(entrance)
        : false
    })
    expect(wrong).toEqual([])
  })

  test('of the command line define no resources: what it only prints is printable', () => {
    const defining = files.filter((file) => folderOf(file) === 'cli' && /\bresource\(/.test(textOf(file)))
    expect(defining).toEqual([])
  })

  test('are all in the table', () => {
    expect([...new Set(files.map(folderOf))].sort()).toEqual(Object.keys(MAY_IMPORT).sort())
  })
})

describe('the packages', () => {
  test('have one home each', () => {
    const used = imports.filter(({ target }) => !target.startsWith('.') && !target.startsWith('node:'))
    const packageOf = (target: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? ''
    const wrong = used.filter(({ file, target }) => !HOMES[packageOf(target)]?.includes(folderOf(file)))
    expect(wrong).toEqual([])
  })

  test('are the ones that the manifest names, and each has its reason written down', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, object>
    const named = [
      ...Object.keys(manifest['devDependencies'] ?? {}),
      ...Object.keys(manifest['optionalDependencies'] ?? {}),
    ]
    const decisions = readFileSync(join(ROOT, 'docs', 'decisions.md'), 'utf8')
    expect(named.filter((name) => !decisions.includes(`\`${name}\``))).toEqual([])
    expect(Object.keys(HOMES).filter((name) => !named.includes(name))).toEqual([])
  })
})

describe('the domain', () => {
  test('imports nothing but itself', () => {
    expect(imports.filter(({ file, target }) => folderOf(file) === 'domain' && !target.startsWith('.'))).toEqual([])
  })
})

/**
 * A process that runs a query ends itself. The salt of a password, the owner of an Idempotency-Key and the name of a file need
 * chance that no caller, and so no test, can choose.
 */
const TOUCHING_THE_WORLD = [
  'cli/io.ts',
  'cli/standard-output.ts',
  'cli/v8-flags.ts',
  'files/replace-file.ts',
  'service/accounts/secrets.ts',
  'service/limits/idempotency.ts',
  'tabular/database/query-child.ts',
]

test('the process, the clock and chance are touched in cli/io.ts, except for what is listed here', () => {
  const touching = files.filter((file) => OUTSIDE_WORLD.test(textOf(file)))
  expect(touching).toEqual(TOUCHING_THE_WORLD)
})

/**
 * What files outside of `src/files` may take from `node:fs`: what looks at names, what removes them, which follows no
 * link, and what works on files that are open already.
 */
const HARMLESS: ReadonlySet<string> = new Set([
  'accessSync',
  'closeSync',
  'constants',
  'existsSync',
  'fstatSync',
  'globSync',
  'lstatSync',
  'mkdirSync',
  'readSync',
  'readdirSync',
  'realpathSync',
  'rmSync',
  'statSync',
  'statfsSync',
  'type Stats',
  'writeSync',
])

/** What only lists names, a piece at a time. */
const LISTING: ReadonlySet<string> = new Set(['glob'])

/** Standard output, which is open, and the terminal. */
const OWN_STREAMS = ['cli/io.ts', 'cli/standard-output.ts']

test('files are opened, made, renamed and copied in src/files alone, where no link is followed and nothing waits', () => {
  const outside = files.filter((file) => folderOf(file) !== 'files')
  const taken = outside.flatMap((file) =>
    [...textOf(file).matchAll(/import (?:\{([^}]*)\}|\* as \w+|\w+) from '(?:node:)?fs(\/promises)?'/g)].flatMap(
      ([line, names, isPromised]) =>
        names === undefined
          ? [`${file}: ${line}`]
          : names
              .split(',')
              .map((name) => name.trim())
              .filter((name) => name !== '' && !(isPromised === undefined ? HARMLESS : LISTING).has(name))
              .map((name) => `${file}: ${name}`),
    ),
  )
  expect(taken).toEqual([])
  const built = outside.filter((file) => /getBuiltinModule\('(?:node:)?fs|require\('(?:node:)?fs/.test(textOf(file)))
  expect(built).toEqual(OWN_STREAMS)
})

test('SQLite opens files in src/files alone, which looks first at what it would follow or wait for', () => {
  const opening = files.filter((file) => /\bnew DatabaseSync\(/.test(textOf(file)))
  expect(opening).toEqual(['files/sqlite-file.ts'])
})

const REFERENCE = /\b(?:decisions|interface),? sections? \d/i

test('no comment and no page refers to a numbered section, as no page has any', () => {
  const folders = ['src', 'test', 'docs', 'bench', 'examples']
  const texts = folders.flatMap((folder) =>
    readdirSync(join(SOURCE, '..', folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|md)$/.test(name))
      .map((name) => [`${folder}/${name}`, readFileSync(join(SOURCE, '..', folder, name), 'utf8')] as const),
  )
  expect(texts.filter(([, text]) => REFERENCE.test(text)).map(([name]) => name)).toEqual([])
})

test('nothing is exported by default', () => {
  expect(files.filter((file) => /^export default/m.test(textOf(file)))).toEqual([])
})
