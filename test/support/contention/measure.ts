import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ROOT } from '../documents.ts'
import type { LoopReport } from './loop-meter.ts'
import { ANSWERS, LONGEST, type Probing, WRONG } from './probe.ts'
import type { Attack } from './requests.ts'
import { send } from './wire.ts'
import type { Contenders } from './world.ts'

/** What others met while a hostile client was served. */
export type Waits = {
  readonly name: string
  /** The longest turn of the server's event loop, in milliseconds of its processor time. */
  readonly turnMs: number
  /** The longest that another account waited for an answer: to a request for health, and to a small GET. */
  readonly healthMs: number
  readonly getMs: number
  /** Answers other than 200 that another account got. */
  readonly wrong: number
  /** What the hostile client was answered, and how often. */
  readonly statuses: ReadonlyMap<number, number>
  /** The most memory that the server had held by then. */
  readonly peakMb: number
}

const METER = join(import.meta.dirname, 'loop-meter.ts')
const PROBE = new URL('probe.ts', import.meta.url)

/** A server that is measured, gone when it is disposed of. */
export type MeasuredServer = {
  readonly measure: (attack: Attack, world: Contenders) => Promise<Waits>
} & AsyncDisposable

const startProbe = async (port: number, request: string) => {
  const counts = new Int32Array(new SharedArrayBuffer(12))
  const probing: Probing = { port, request, counts }
  const worker = new Worker(PROBE, { workerData: probing })
  await Atomics.waitAsync(counts, ANSWERS, 0).value
  return { counts, worker }
}

const reportOf = async (server: ChildProcess): Promise<LoopReport> => {
  const answered = once(server, 'message')
  server.send('report')
  const [report] = (await answered) as [LoopReport]
  return report
}

const countOf = (statuses: readonly number[]): Map<number, number> => {
  const counts = new Map<number, number>()
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1)
  return counts
}

/** Starts `kpi serve` with flags, without limits, in an environment. */
export const startMeasured = async (
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
  { bystander }: Contenders,
): Promise<MeasuredServer> => {
  const args = ['--import', METER, join(ROOT, 'bin', 'kpi.js'), 'serve', '--port', '0', '--quiet']
  const limits = ['--rate-limit', '0', '--rate-limit-v1', '0']
  const options = { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] as const }
  const server = spawn(process.execPath, [...args, ...limits, ...flags], { ...options, stdio: [...options.stdio] })
  const [line] = (await once(server.stdout ?? server, 'data')) as [Buffer]
  const port = Number(/:(\d+)\//.exec(line.toString())?.[1])
  const get = `GET /api/kpis/1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${bystander.basic}\r\n\r\n`
  const probes = [
    await startProbe(port, 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    await startProbe(port, get),
  ]
  return {
    measure: async ({ name, wires }, world) => {
      const sent = wires(world)
      await reportOf(server)
      for (const { counts } of probes) counts.fill(0, LONGEST, ANSWERS)
      const statuses = await Promise.all(sent.map((one) => send(port, one)))
      const { longestMs, peakMb } = await reportOf(server)
      const [health, small] = probes.map(({ counts }) => (counts[LONGEST] ?? 0) / 1000)
      const wrong = probes.reduce((sum, { counts }) => sum + (counts[WRONG] ?? 0), 0)
      return {
        name,
        turnMs: longestMs,
        healthMs: health ?? 0,
        getMs: small ?? 0,
        wrong,
        statuses: countOf(statuses),
        peakMb,
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const { worker } of probes) await worker.terminate()
      server.kill()
      await once(server, 'exit')
    },
  }
}
