#!/usr/bin/env node
// Any Node.js can read this file: it starts the program, on a newer Node.js where this one is too old.

const LEAST = 24
/** Tells a process that another has handed over to it. */
const HANDED_OVER = 'KPI_HANDED_OVER'

const tooOld = () => {
  process.stderr.write(`kpi: needs Node.js ${LEAST} or newer, this is ${process.version}; see https://nodejs.org\n`)
  process.exitCode = 1
}

/** The Node.js that was installed with the program, if there is one. */
const findNewer = async () => {
  const { createRequire } = await import('node:module')
  const { dirname, join } = await import('node:path')
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('node/package.json'))
    return join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  } catch {
    return undefined
  }
}

const handOver = async () => {
  const newer = await findNewer()
  if (newer === undefined) return tooOld()
  const { spawn } = await import('node:child_process')
  const { constants } = await import('node:os')
  const env = { ...process.env, [HANDED_OVER]: '1' }
  const child = spawn(newer, process.argv.slice(1), { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  // What is sent to the whole group reaches the other twice, which takes it for once.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', tooOld)
  // A signal's second coming may hit a process that is done and about to end: what it said counts.
  let said
  child.on('message', (code) => {
    said = code
  })
  child.on('close', (code, signal) => {
    process.exitCode = code ?? said ?? 128 + (constants.signals[signal] ?? 0)
  })
}

/** Ends with the process that handed over, also where that was killed without a word. */
const endWithParent = () => {
  delete process.env[HANDED_OVER]
  process.channel?.unref()
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
}

/** Keeps compiled code in the user's own cache: a third of the time that a short command takes. */
const cacheCode = async () => {
  const { HOME, LOCALAPPDATA, XDG_CACHE_HOME } = process.env
  const cache = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && `${HOME}/.cache`)
  if (!cache) return
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(`${cache}/kpi`)
}

const start = async () => {
  const isHandedOver = process.env[HANDED_OVER] !== undefined
  if (isHandedOver) endWithParent()
  const args = process.argv.slice(2)
  if (args[0] !== '--version') await cacheCode()
  const { run, processIo } = await import('../dist/main.js')
  process.exitCode = await run(args, processIo(isHandedOver))
  if (isHandedOver) process.send?.(process.exitCode)
}

await (Number.parseInt(process.versions.node, 10) < LEAST ? handOver() : start())
