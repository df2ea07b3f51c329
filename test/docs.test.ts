import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { addCitus } from './support/citus.ts'
import { emptyPostgresDatabase } from './support/databases.ts'
import { consoleCommands, matchesShown, pages, ROOT, shellLines, type ShownCommand } from './support/documents.ts'
import { openTerminal, type Terminal } from './support/terminal.ts'

const SERVE = /^kpi serve\b/

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

/** A port of four digits, as in the pages, that nothing listens on at this moment. */
const freePort = async (from = 8400): Promise<string> => ((await isFree(from)) ? String(from) : freePort(from + 1))

/** The port that the pages speak of, where another program may listen while the tests run. */
const USUAL_PORT = '8321'

/** The PostgreSQL that the pages speak of. */
const SHOWN_POSTGRES = 'postgres://kpi:password@db.example.com/kpi?sslmode=verify-full'

/** The commands of a page, with a port and a PostgreSQL of the test's own. */
const commandsOn = (page: string, port: string, postgres: string): ShownCommand[] =>
  consoleCommands(page).map(({ line, command, output }) => ({
    line,
    command: command
      .replace(SERVE, `kpi serve --port ${port}`)
      .replaceAll(USUAL_PORT, port)
      .replaceAll(SHOWN_POSTGRES, postgres),
    output: output.map((text) => text.replaceAll(USUAL_PORT, port)),
  }))

/** Types a command; one that serves goes on in the background, and what it says at first is its output. */
const typeAsShown = async (terminal: Terminal, command: string): Promise<string> => {
  if (!SERVE.test(command)) return terminal.type(command)
  await terminal.type(`${command} > serve.txt 2>&1 &`)
  return terminal.type('until [ -s serve.txt ]; do read -rt 0.05 <> <(:) || :; done; cat serve.txt; echo')
}

/** A command that printed something else than its page shows. */
type Difference = {
  readonly line: number
  readonly command: string
  readonly printed: string[]
  readonly shown: string[]
}

/** Types the commands of a page that are wanted, on a machine of their own, up to one that prints something else than shown. */
const typeCommands = async (
  page: string,
  isWanted: (line: number) => boolean = () => true,
): Promise<Difference | undefined> => {
  await using database = await emptyPostgresDatabase()
  await addCitus(database.env['KPI_POSTGRES_URL'] ?? '')
  await using terminal = openTerminal()
  const commands = commandsOn(page, await freePort(), database.env['KPI_POSTGRES_URL'] ?? '')
  for (const { line, command, output } of commands.filter(({ line }) => isWanted(line))) {
    const printed = await typeAsShown(terminal, command)
    if (!matchesShown(printed, output)) return { line, command, printed: printed.split('\n'), shown: [...output, ''] }
  }
  return undefined
}

/** The page of jobs that are done one by one, each on a machine where nothing else was done before. */
const PROCEDURES = 'docs/procedures.md'

const shownPages = pages().filter((page) => page !== PROCEDURES && consoleCommands(page).length > 0)

describe.each(shownPages)('%s', (page) => {
  test('shows commands that print what it says', { timeout: 60_000 }, async () => {
    expect(await typeCommands(page)).toBeUndefined()
  })
})

describe('the page of five steps for each job', () => {
  const lines = readFileSync(join(ROOT, PROCEDURES), 'utf8').split('\n')
  const headings = lines.flatMap((text, at) => (text.startsWith('## ') ? [{ title: text.slice(3), line: at + 1 }] : []))
  const [, ...jobs] = headings.map(({ title, line }, at) => ({ title, line, end: headings[at + 1]?.line ?? Infinity }))
  const begun = jobs[0]?.line ?? 0

  test.each(jobs)('$title has five steps, and a way back', ({ line, end }) => {
    const own = lines.slice(line, Math.min(end, lines.length))
    expect(own.flatMap((text) => /^(\d)\. /.exec(text)?.[1] ?? [])).toEqual(['1', '2', '3', '4', '5'])
    expect(own.some((text) => text.startsWith('**The way back**'))).toBe(true)
  })

  test.each(jobs)('$title works as shown', { timeout: 60_000 }, async ({ line, end }) => {
    expect(await typeCommands(PROCEDURES, (at) => at < begun || (at > line && at < end))).toBeUndefined()
  })
})

const scripts = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> })
  .scripts

/** Returns the anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (page: string): Set<string> => {
  const headings = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text)
  return new Set(
    headings.map((text) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

describe('every page', () => {
  test.each(pages())('%s names files that are there', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8')
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => target ?? '')
    expect(links.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([])
  })

  test.each(pages())('%s names sources that are there', (page) => {
    const named = readFileSync(join(ROOT, page), 'utf8').matchAll(/`((?:[\w-]+\/)+[\w.-]+\.ts)`/g)
    const paths = [...named].map(([, path = '']) => path)
    const isThere = (path: string): boolean =>
      ['', 'src', 'node_modules'].some((folder) => existsSync(join(ROOT, folder, path)))
    expect(paths.filter((path) => !isThere(path))).toEqual([])
  })

  test.each(pages())('%s links to headings that are there', (page) => {
    const links = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
    const missing = links.filter(([, target = '', anchor = '']) => {
      const linked = target === '' ? page : join(dirname(page), target)
      return !anchorsOf(linked).has(anchor)
    })
    expect(missing.map(([link]) => link)).toEqual([])
  })

  test.each(pages())('%s names npm scripts that are there', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8')
    const named = [...text.matchAll(/npm run ([a-z:-]+)/g)].map(([, name]) => name ?? '')
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})

describe('the README', () => {
  test('gives two lines to type: one runs the main job, the gate runs the other', async () => {
    const [first, second, ...more] = shellLines('README.md')
    expect([first, second, more]).toEqual(['npm ci && npx kpi demo', 'npm ci && npm test', []])
    expect(readFileSync(join(ROOT, '.ci', 'run'), 'utf8')).toContain('npm ci && npm test')
    await using terminal = openTerminal()
    const printed = await terminal.type('kpi demo; echo "exit code $?"')
    expect(printed).toContain('816 rows read, 3263 entries created')
    expect(printed).toContain('816 rows read, 6528 entries created')
    expect(printed).toMatch(/Confirmed +World +2022-04-16 +504,155,459/)
    expect(printed).toContain('exit code 0')
  })
})
