import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, type ExpectStatic, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { type Held, type Holder, HOLDERS } from '../support/holders/holders.ts'
import { leftIn, processesIn, untilHolding } from '../support/holders/process-tree.ts'
import { KPI, launch, runKpi, type Running } from '../support/process.ts'
import { IS_SOAK, some } from '../support/soak/tests.ts'

/*
 * Whatever holds a command, it ends within 2 seconds of a signal and 1 second of its deadline, with an exit code of ours,
 * and leaves neither a process nor a file. The suite tries some holders with one way to end each; a soak tries all of them.
 */

const AFTER_SIGNAL_MS = 2000
const AFTER_DEADLINE_MS = 1000
const DEADLINE_MS = 2000
/** How long the start of a process may take beside others on a slow machine; nothing else is allowed more time. */
const START_MS = 6000

/** A way to end a command: what it is started with, and what is done once something holds it. */
type Ending = {
  readonly name: string
  readonly words: (args: readonly string[]) => readonly string[]
  readonly end: (running: Running) => void
  readonly withinMs: number
}

const kill = (pid: number | undefined, signal: NodeJS.Signals): void => {
  if (pid !== undefined) process.kill(pid, signal)
}
/** In a session of its own, as a shell starts a job. */
const inSession = (args: readonly string[]): readonly string[] => ['setsid', ...KPI, ...args]

const bySignal = (name: string, end: (running: Running) => void): Ending => ({
  name,
  words: inSession,
  end,
  withinMs: AFTER_SIGNAL_MS,
})

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

const ENDINGS: readonly Ending[] = [
  bySignal('SIGINT to the group, as Ctrl-C', ({ child }) => kill(-(child.pid ?? 0), 'SIGINT')),
  bySignal('SIGTERM', ({ child }) => kill(child.pid, 'SIGTERM')),
  {
    name: 'its deadline',
    words: (args) => inSession([...args, '--deadline', `${DEADLINE_MS / 1000}s`]),
    end: () => undefined,
    withinMs: START_MS + DEADLINE_MS + AFTER_DEADLINE_MS,
  },
  bySignal('SIGINT', ({ child }) => kill(child.pid, 'SIGINT')),
  bySignal('SIGINT twice', ({ child }) => {
    kill(child.pid, 'SIGINT')
    kill(child.pid, 'SIGINT')
  }),
]

/** The exit code that a shell sees. */
const codeOf = ({ code, signal }: { readonly code: number | null; readonly signal: string | null }): number | null =>
  signal === 'SIGINT' ? 130 : code

/** Stopped with work left, interrupted; and what ended by itself: refused, not reachable. */
const STOPPED: readonly (number | null)[] = [6, 130]
const BY_ITSELF: readonly (number | null)[] = [1, 5]

/** Starts what is held; answers how to see the end. */
const start = async (held: Held, ending: Ending, home: ReturnType<typeof temporaryFolder>): Promise<Running> => {
  const env = { ...held.env, TMPDIR: home.in('temporary') }
  mkdirSync(home.in('temporary'))
  const before = held.before && (await runKpi(home, held.before, env))
  if (before && before.code !== 0) throw new Error(before.stderr)
  const running = launch(home, ending.words(held.args), env)
  if (held.stdin !== undefined) running.child.stdin.write(held.stdin)
  return running
}

const isOfDeadline = ({ withinMs }: Ending): boolean => withinMs > AFTER_SIGNAL_MS

/** Expects by the test's own function, as tests that run beside each other have to. */
const endsInTime = async (holder: Holder, ending: Ending, expect: ExpectStatic): Promise<void> => {
  using home = temporaryFolder()
  const closing: (() => unknown)[] = []
  try {
    const running = await start(await holder.prepare(home, (close) => closing.push(close)), ending, home)
    const begun = performance.now()
    const holding = isOfDeadline(ending) ? undefined : untilHolding(home.path).then(() => 'holds' as const)
    const first = await Promise.race([running.ended, ...(holding ? [holding] : [])])
    const asked = first === 'holds' ? performance.now() : begun
    if (first === 'holds') ending.end(running)
    const limit = setTimeout(ending.withinMs * 3, undefined, { ref: false })
    const ended = await Promise.race([running.ended, limit])
    const took = performance.now() - asked
    expect(ended && { code: codeOf(ended), says: ended.stderr }).toMatchObject({
      code: expect.toBeOneOf([...STOPPED, ...(first === 'holds' ? [] : BY_ITSELF)]) as number,
    })
    expect(took).toBeLessThan(first === 'holds' ? ending.withinMs : START_MS + DEADLINE_MS + AFTER_DEADLINE_MS)
    if (!holder.leavesProcesses) expect(await leftIn(home.path, AFTER_SIGNAL_MS)).toEqual([])
    expect(readdirSync(home.in('temporary'))).toEqual([])
  } finally {
    for (const close of closing.toReversed()) await close()
    for (const pid of processesIn(home.path)) kill(pid, 'SIGKILL')
  }
}

const cases = HOLDERS.flatMap((holder, at) =>
  (IS_SOAK ? ENDINGS : [ENDINGS[at % ENDINGS.length]]).flatMap((ending) =>
    ending ? [{ holder, ending, what: `${holder.name}: ${ending.name}` }] : [],
  ),
)

// Beside other tests a process may wait for a processor; one that does not end in time does so each time.
describe.runIf(process.platform === 'linux')('held by', { concurrent: true, timeout: 120_000, retry: 2 }, () => {
  test.for(some(10, cases))('$what', async ({ holder, ending }, { expect }) => {
    expect.hasAssertions()
    await endsInTime(holder, ending, expect)
  })
})

/** `script` of util-linux runs a command at a terminal of its own. */
const hasScript = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') ?? false
const AT_TERMINAL = HOLDERS.filter(({ name }) =>
  /^(?:a query: select \* from counted|--jq last|a service that stalls)/.test(name),
)

test.runIf(hasScript).each(some(1, AT_TERMINAL))('held by $name: its terminal is closed', async ({ prepare }) => {
  using home = temporaryFolder()
  const closing: (() => unknown)[] = []
  try {
    const held = await prepare(home, (close) => closing.push(close))
    // The inner shell outlives the terminal, to tell how the command ended.
    const inner = `trap "" HUP; ${[...KPI, ...held.args].map(quoted).join(' ')}; echo $? > ended; mv ended code`
    const line = `sh -c ${quoted(inner)}; true`
    const { child, ended } = launch(home, ['script', '-qec', line, '/dev/null'], held.env)
    const early = await Promise.race([ended, untilHolding(home.path)])
    expect(early).toBeUndefined()
    child.kill('SIGKILL')
    const begun = performance.now()
    await expect.poll(() => existsSync(home.in('code')), { interval: 10, timeout: 3 * AFTER_SIGNAL_MS }).toBe(true)
    expect(performance.now() - begun).toBeLessThan(AFTER_SIGNAL_MS)
    expect(readFileSync(home.in('code'), 'utf8').trim()).toMatch(/^(?:6|130)$/)
    expect(await leftIn(home.path, AFTER_SIGNAL_MS)).toEqual([])
  } finally {
    for (const close of closing.toReversed()) await close()
    for (const pid of processesIn(home.path)) kill(pid, 'SIGKILL')
  }
})

test.runIf(process.platform === 'linux')(
  'a query ends with the process that asked it, also if that is killed',
  async () => {
    using home = temporaryFolder()
    const held = await HOLDERS[0]?.prepare(home, () => undefined)
    const { child, ended } = launch(home, [...KPI, ...(held?.args ?? [])])
    await untilHolding(home.path)
    expect(processesIn(home.path)).toHaveLength(2)
    child.kill('SIGKILL')
    await ended
    expect(await leftIn(home.path, AFTER_SIGNAL_MS)).toEqual([])
  },
)
