import { describe, expect, test } from 'vitest'
import type { Handler } from '../../src/server/wire.ts'
import { asThirdParty, heldIn, type Importer, remoteImporter } from '../support/import.ts'
import { type Ran, shellIn } from '../support/kpi.ts'

type Request = Parameters<Handler>[0]

const FILE = 'user,kpi,date,actual\nAnn Lee,Sales,2026-03-01,1\nAnn Lee,Sales,2026-03-02,2\nBob,Visits,2026-03-02,3\n'
const ASSIGNMENTS = 'user,kpi,target\nBob,Visits,1\nBob,Spare,2\n'

const IMPORT = ['entries', 'import', 'data.csv', '--deadline', '1s', '--create-assignments']
const SENT = 'run the same command to continue'

const isAt =
  (method: string, path: RegExp) =>
  (request: Request): boolean =>
    request.method === method && path.test(request.target)

/** A phase of a run: at which request the service stops answering, and what is told. */
type Phase = readonly [
  name: string,
  args: readonly string[],
  isStuck: (request: Request) => boolean,
  says: string,
  /** For services without batches. */
  lacks?: RegExp,
]

const PHASES: readonly Phase[] = [
  ['users are read', IMPORT, isAt('GET', /\/users$/), 'stopped before anything was sent'],
  ['KPIs are read', IMPORT, isAt('GET', /\/kpis$/), 'stopped before anything was sent'],
  ['assignments are read', IMPORT, isAt('GET', /\/users\/2\/kpis/), 'stopped before anything was sent'],
  [
    'what is there is read',
    [...IMPORT, '--only-changes'],
    isAt('GET', /\/(kpientries\?|reports)/),
    'the deadline (1s) has passed; stopped',
  ],
  ['assignments are made', IMPORT, isAt('POST', /\/users\/3\/kpis/), SENT],
  ['a batch is sent', IMPORT, isAt('POST', /\/kpientries\/list/), SENT],
  ['it is asked what single entries replace', IMPORT, isAt('GET', /\/kpientries\?/), SENT, /\/kpientries\/list/],
  ['single entries are sent', IMPORT, isAt('POST', /\/kpientries$/), SENT, /\/kpientries\/list/],
  [
    'all is read back',
    [...IMPORT, '--verify', '--no-undo'],
    isAt('GET', /\/(kpientries\?|reports)/),
    'stopped before all was compared',
  ],
  [
    'a row is looked up',
    ['entries', 'import', 'data.csv', '--deadline', '1s', '--dry-run', '--create-assignments'],
    isAt('GET', /\/(kpientries\?|reports)/),
    'the deadline (1s) has passed; stopped',
  ],
  ['assignments are sent', ['assign', 'import', 'assign.csv'], isAt('POST', /\/users\/3\/kpis/), SENT],
  ['assignments are compared', ['assign', 'import', 'assign.csv'], isAt('GET', /\/users\/3\/kpis/), 'stopped'],
  [
    'entries are exported',
    ['entries', 'export', '--from', '2026-03-01', '--to', '2026-03-31'],
    isAt('GET', /\/kpientries\?/),
    'stopped',
  ],
]

const named = (phases: readonly Phase[]): { readonly name: string; readonly phase: Phase }[] =>
  phases.map((phase) => ({ name: phase[0], phase }))

const ALONE = PHASES.filter(([, args]) => args === IMPORT)

/** So long the answers to what was sent are waited for. */
const GRACE_MS = 5000

const NOT_FOUND = { status: 404, headers: { 'content-type': 'application/json' }, body: '{"message":"no such path"}' }

/** Runs a command with a service that stops answering at a phase, when the deadline comes; for an export, Ctrl-C. */
const runUntil = async (
  [, args, isStuck, , lacks]: Phase,
  look: (importer: Importer, ran: Ran) => Promise<void>,
): Promise<void> => {
  const [late, release] = [new AbortController(), new AbortController()]
  const wrap =
    (handler: Handler): Handler =>
    (request) => {
      if (lacks?.test(request.target)) return Promise.resolve(NOT_FOUND)
      if (release.signal.aborted || !isStuck(request)) return handler(request)
      late.abort()
      return new Promise((resolve) => release.signal.addEventListener('abort', () => resolve(NOT_FOUND)))
    }
  await using importer = await remoteImporter({ wrap: (handler) => wrap(lacks ? asThirdParty(handler) : handler) })
  importer.write('data.csv', FILE)
  importer.write('assign.csv', ASSIGNMENTS)
  const alarm = (milliseconds: number): AbortSignal => (milliseconds === GRACE_MS ? AbortSignal.abort() : late.signal)
  const signal = args.includes('export') ? { signal: late.signal } : {}
  const ran = await shellIn({ ...importer.world, alarm, ...signal })(...args)
  release.abort()
  await look(importer, ran)
}

describe('a service that stops answering, and a deadline', () => {
  test.each(named(PHASES))('while $name: the run ends, with exit code 6', async ({ phase }) => {
    await runUntil(phase, (_, ran) => {
      expect(ran).toMatchObject({ code: 6, stderr: expect.stringContaining(phase[3]) as string })
      return Promise.resolve()
    })
  })

  test.each(named(ALONE))('while $name: the same command goes on', async ({ phase }) => {
    await runUntil(phase, async (importer) => {
      expect(await importer.kpi('entries', 'import', 'data.csv', '--create-assignments')).toMatchObject({ code: 0 })
      expect(await heldIn(importer)).toHaveLength(3)
    })
  })
})
