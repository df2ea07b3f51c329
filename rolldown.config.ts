import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type OutputChunk, type Plugin, rolldown } from 'rolldown'

/** Node's own modules that take milliseconds to load: they are loaded where they are used, which few commands do. */
const LATE = new Set([
  'child_process',
  'crypto',
  'fs/promises',
  'stream',
  'stream/consumers',
  'stream/promises',
  'timers/promises',
  'tls',
  'util',
  'zlib',
])

/** Matches the declaration of one of Node's own modules, and of its copy that has a default export. */
const BUILTIN = /let ([\w$]+) = (require\("node:([a-z_/]+)"\));(?:\s+\1 = [\w$.]+\(\1(?:, 1)?\);)?/g

/** Gets Node's own modules without copies of them, which take time to make, and each in its time. */
const plainBuiltins: Plugin = {
  name: 'plain-builtins',
  renderChunk(code) {
    const declared: string[] = []
    let plain = code
    for (const [declaration, variable = '', loads = '', module = ''] of code.matchAll(BUILTIN)) {
      const used = new RegExp(`(?<![\\w$.])${variable.replaceAll('$', '\\$')}(?:\\.default)?(?![\\w$])`, 'g')
      const isLate = LATE.has(module)
      plain = plain.replace(declaration, '').replaceAll(used, () => (isLate ? `(${loads})` : variable))
      if (!isLate) declared.push(`const ${variable}=${loads};`)
    }
    return `"use strict";${declared.join('')}${plain}`
  },
}

const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Writes all other signs than those of ASCII as escapes: code without them takes half the memory, and less time to read. */
const asciiCode: Plugin = {
  name: 'ascii-code',
  renderChunk: (code) => code.replaceAll(/[^\0-\x7f]/g, escaped),
}

/**
 * Measures texts by their length for the package that draws tables: what it is given is plain (see
 * `cli/output/table.ts`), and what it would load for other texts takes milliseconds.
 */
export const plainWidth: Plugin = {
  name: 'plain-width',
  resolveId: (id, importer) =>
    id === 'string-width' && importer?.includes('cli-table3') ? '\0plain-width' : undefined,
  load: (id) => (id === '\0plain-width' ? 'module.exports = (text) => text.length' : undefined),
}

const DEBUGGING = 'let content = utils.truncate(this.content, 10, this.truncate)'

/** Keeps the package that draws tables from measuring a whole cell for each of its lines, which only its debugging needs. */
export const leanTable: Plugin = {
  name: 'lean-table',
  transform(code, id) {
    if (!id.replaceAll('\\', '/').endsWith('/cli-table3/src/cell.js')) return undefined
    if (!code.includes(DEBUGGING)) this.error('cli-table3 does not draw a cell as it did')
    return code.replace(DEBUGGING, 'let content = this.content')
  },
}

/** Holds what is used of the package for HTTP, by the files that have it. */
const UNDICI = `
import api from 'undici/lib/api/index.js'
import buildConnector from 'undici/lib/core/connect.js'
import errors from 'undici/lib/core/errors.js'
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js'
import Pool from 'undici/lib/dispatcher/pool.js'
Object.assign(Dispatcher.prototype, api)
export { buildConnector, EnvHttpProxyAgent, errors, Pool }
`

const HTTP_2 = `const connectH2 = require('./client-h2.js')`

/**
 * Bundles only that, and loads HTTP/2 when a service wants it: its first file also loads its mocks, caches, fetch and
 * WebSocket, which takes 40 ms, and HTTP/2 takes 10 ms.
 */
const leanUndici: Plugin = {
  name: 'lean-undici',
  resolveId: (id) => (id === 'undici' ? '\0lean-undici' : undefined),
  load: (id) => (id === '\0lean-undici' ? UNDICI : undefined),
  transform(code, id) {
    if (!id.replaceAll('\\', '/').endsWith('/undici/lib/dispatcher/client.js')) return undefined
    if (!code.includes(HTTP_2)) this.error('undici does not load HTTP/2 as it did')
    return code.replace(HTTP_2, `const connectH2 = (...given) => require('./client-h2.js')(...given)`)
  },
}

/** The folders of the packages that went into the bundle. */
const packagesIn = (chunks: readonly OutputChunk[]): string[] => {
  const folders = new Set<string>()
  for (const path of chunks.flatMap(({ moduleIds }) => moduleIds)) {
    const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replaceAll('\\', '/'))?.[0]
    if (folder) folders.add(folder)
  }
  return [...folders].sort()
}

const licenceOf = (folder: string): string => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
  const text = file === undefined ? `Licence: ${manifest['license']}` : readFileSync(join(folder, file), 'utf8').trim()
  return `${manifest['name']} ${manifest['version']}\n\n${text}\n`
}

/**
 * Makes uPlot write numbers in the page's language. It asks the browser for its own, which in the locale `C` is no
 * language, and then nothing is drawn.
 */
const pageLanguage: Plugin = {
  name: 'page-language',
  transform(code, id) {
    if (!id.includes('uPlot.esm')) return undefined
    if (!code.includes('nav.language')) this.error('uPlot does not ask for the language as it did')
    return code.replace('nav.language', `'en'`)
  },
}

/** Bundles the script of a report's page. The licences of its packages are in it, as each page is a copy of them. */
const bundlePage = async (): Promise<OutputChunk> => {
  await using bundle = await rolldown({ input: 'src/page/main.ts', platform: 'browser', plugins: [pageLanguage] })
  const { output } = await bundle.generate({ format: 'iife', minify: true, comments: false })
  const [chunk] = output
  const notices = packagesIn([chunk]).map((folder) => `/*!\n${licenceOf(folder)}*/\n`)
  return { ...chunk, code: notices.join('') + chunk.code }
}

/** Holds how the code of the program is written. */
const CODE = { compress: false, mangle: false, codegen: true }

/** Bundles what runs a query by itself: it starts as fast as it can, and loads nothing of the command line. */
const bundleQueryChild = async (): Promise<OutputChunk> => {
  const input = 'src/tabular/database/query-child.ts'
  await using bundle = await rolldown({ input, platform: 'node', plugins: [plainBuiltins, asciiCode] })
  const { output } = await bundle.generate({ format: 'cjs', minify: CODE })
  return output[0]
}

/**
 * Puts beside the bundle the process that runs queries, the words of dates, the licences of the bundled packages, as they ask for, the parts
 * of a report's page, and what tells Node.js which kind of modules the bundle is of.
 */
const assets: Plugin = {
  name: 'assets',
  async generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
    const page = await bundlePage()
    const licences = packagesIn([...chunks, page])
      .map(licenceOf)
      .join(`\n${'-'.repeat(80)}\n\n`)
    this.emitFile({ type: 'asset', fileName: 'licences.txt', source: licences })
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{"type":"commonjs"}\n' })
    const { code } = await bundleQueryChild()
    this.emitFile({ type: 'asset', fileName: 'query-child.js', source: code })
    const words = readFileSync('src/reading/formats/calendar-words.json', 'utf8')
    this.emitFile({ type: 'asset', fileName: 'calendar-words.json', source: words })
    this.emitFile({ type: 'asset', fileName: 'report-page.js', source: page.code })
    const styles = ['node_modules/uplot/dist/uPlot.min.css', 'src/page/page.css']
    const style = styles.map((path) => readFileSync(path, 'utf8')).join('\n')
    this.emitFile({ type: 'asset', fileName: 'report-page.css', source: style })
  },
}

/**
 * What most commands need is one file each for the command line and the embedded service, as a file costs time to open;
 * what only some commands need is not in it, as code costs time to load. Each group has all that its modules import.
 */
const groups = [
  // The program's own package.json, not that of a package.
  {
    name: 'start',
    test: /(?<!node_modules.*)package\.json$|src\/cli\/(io|memory|standard-output|args\/raw-options)\.ts$/,
  },
  {
    name: 'main',
    test: /src\/(cli\/(main|args\/relative-dates)|domain\/report|export\/report\/formats)\.ts$/,
  },
  { name: 'embedded', test: /src\/cli\/embedded\.ts$/ },
  // What each way to print a report needs, and imports of entries, too.
  {
    name: 'reports',
    test: /src\/(cli\/(commands\/report\/(report|where-values-lie)|output\/whole-output)|client\/operations\/complete-report)\.ts$/,
  },
  { name: 'entries', test: /src\/cli\/commands\/entries\/entries\.ts$/ },
]

/** Bundles the program into `dist`: an entry that loads nothing it does not need, and a chunk for each thing it may. */
export default defineConfig({
  input: {
    main: 'src/cli/main.ts',
    version: 'src/cli/version.ts',
    'sqlite-thread': 'src/store/sqlite/sqlite-thread.ts',
    'jq-thread': 'src/cli/jq-thread.ts',
  },
  platform: 'node',
  logLevel: 'warn',
  plugins: [plainBuiltins, asciiCode, plainWidth, leanTable, leanUndici, assets],
  output: {
    dir: 'dist',
    format: 'cjs',
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: CODE,
    codeSplitting: { groups },
  },
})
