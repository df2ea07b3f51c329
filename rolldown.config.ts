import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type OutputChunk, type Plugin, rolldown } from 'rolldown'

/** Node's own modules that take milliseconds to load, and that few commands use: they are loaded when first used. */
const LATE = new Set(['node:child_process', 'node:crypto', 'node:fs/promises', 'node:tls', 'node:zlib'])

/** Returns a declaration of what is imported from one of Node's own modules. */
const declared = (module: string, whole: readonly string[], named: string | undefined): string => {
  const got = `globalThis.process.getBuiltinModule("${module}")`
  if (!LATE.has(module)) {
    const all = whole.map((name) => `const ${name} = ${got};`)
    return [...all, ...(named === undefined ? [] : [`const {${named.replaceAll(' as ', ': ')}} = ${got};`])].join(' ')
  }
  const all = whole.map((name) => `const ${name} = new Proxy({}, { get: (_, key) => ${got}[key] });`)
  const each = (named ?? '').split(',').flatMap((one) => {
    const [name = '', as = name] = one.trim().split(' as ')
    if (name === '') return []
    // A class, which begins with a capital, is not called but made, and what is no function is read.
    const called =
      typeof Reflect.get(process.getBuiltinModule(module) ?? {}, name) === 'function' && !/^[A-Z]/.test(name)
    return called ? [`const ${as} = (...given) => ${got}.${name}(...given);`] : [`const { ${name}: ${as} } = ${got};`]
  })
  return [...all, ...each].join(' ')
}

/**
 * Gets Node's own modules without `import`: an imported one is asked for all that it exports, which loads whatever it
 * would otherwise load when used, some 8 ms for `node:util` alone.
 */
const plainBuiltins: Plugin = {
  name: 'plain-builtins',
  renderChunk: (code) =>
    code.replaceAll(/^import ([^"';]+) from "(node:[a-z/_]+)";$/gm, (_, names: string, module: string) => {
      const named = /\{([^}]*)\}/.exec(names)?.[1]
      const whole = names
        .replace(/,?\s*\{[^}]*\}/, '')
        .split(',')
        .map((name) => name.replace('* as', '').trim())
        .filter((name) => name !== '')
      return declared(module, whole, named)
    }),
}

/**
 * Measures texts by their length for the package that draws tables: what it is given is plain (see
 * `cli/output/table.ts`), and what it would load for other texts takes milliseconds.
 */
const plainWidth: Plugin = {
  name: 'plain-width',
  resolveId: (id, importer) =>
    id === 'string-width' && importer?.includes('cli-table3') ? '\0plain-width' : undefined,
  load: (id) => (id === '\0plain-width' ? 'module.exports = (text) => text.length' : undefined),
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

/** Puts the licences of the bundled packages beside the bundle, as they ask for, and the parts of a report's page. */
const assets: Plugin = {
  name: 'assets',
  async generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
    const page = await bundlePage()
    const licences = packagesIn([...chunks, page])
      .map(licenceOf)
      .join(`\n${'-'.repeat(80)}\n\n`)
    this.emitFile({ type: 'asset', fileName: 'licences.txt', source: licences })
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
  { name: 'start', test: /(?<!node_modules.*)package\.json$|src\/cli\/(io|memory|args\/raw-options)\.ts$/ },
  {
    name: 'main',
    test: /src\/(cli\/(main|args\/relative-dates)|domain\/report|export\/report\/formats)\.ts$/,
  },
  { name: 'embedded', test: /src\/cli\/embedded\.ts$/ },
  { name: 'reports', test: /src\/cli\/commands\/report\/report\.ts$/ },
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
  plugins: [plainBuiltins, plainWidth, leanUndici, assets],
  output: {
    dir: 'dist',
    format: 'esm',
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: { compress: false, mangle: false, codegen: true },
    codeSplitting: { groups },
  },
})
