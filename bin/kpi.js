#!/usr/bin/env node
// Any Node.js can read this file: it starts the program, on a newer Node.js where this one is too old.

const LEAST = 24
/** Tells a process that another has handed over to it. */
const HANDED_OVER = 'KPI_HANDED_OVER'

/** Exit code: refused or failed. */
const FAILED = 1

const fail = (message) => {
  process.stderr.write(`kpi: ${message}\n`)
  process.exitCode = FAILED
}

const tooOld = () =>
  fail(
    `needs Node.js ${LEAST} or newer, this is ${process.version}; install it from https://nodejs.org, or this package with its optional ones: npm install --include=optional`,
  )

/** The package that holds a Node.js for this machine. */
const nodePackage = () => {
  const system = process.platform === 'win32' ? 'win' : process.platform
  const name = `${system}-${process.arch}`
  return name === 'darwin-arm64' ? `node-bin-${name}` : `node-${name}`
}

/** The Node.js that was installed with the program, if there is one. */
const findNewer = () => {
  const { dirname, join } = require('node:path')
  try {
    const folder = dirname(require.resolve(`${nodePackage()}/package.json`))
    return join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  } catch {
    return undefined
  }
}

const handOver = () => {
  const newer = findNewer()
  if (newer === undefined) return tooOld()
  const { spawn } = require('node:child_process')
  const { constants } = require('node:os')
  const env = { ...process.env, [HANDED_OVER]: '1' }
  const child = spawn(newer, process.argv.slice(1), { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  // What is sent to the whole group reaches the other twice, which takes it for once.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  let isStarted = true
  child.on('error', () => {
    isStarted = false
    tooOld()
  })
  // A signal's second coming may hit a process that is done and about to end: what it said counts.
  let said
  child.on('message', (code) => {
    said = code
  })
  child.on('close', (code, signal) => {
    if (isStarted) process.exitCode = code ?? said ?? 128 + (constants.signals[signal] ?? 0)
  })
}

/** Ends with the process that handed over, also where that was killed without a word. */
const endWithParent = () => {
  delete process.env[HANDED_OVER]
  process.channel?.unref()
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
}

/** Others may not write what is made here, whatever the shell that starts it allows. */
const OTHERS_WRITE = 0o022

/** Makes a folder for this user alone. */
const PRIVATE = { recursive: true, mode: 0o700 }

/** Bounds a file of compiled code, in bytes, and how many there may be: each build of the program adds its own. */
const MOST_BYTES = 16 * 1024 * 1024
const MOST_FILES = 1000

/** Tells whether a folder belongs to this user, is no link, and lets nobody else write. */
const isOwnFolder = (path) => {
  const found = require('node:fs').lstatSync(path)
  if (!found.isDirectory()) return false
  return !process.getuid || (found.uid === process.getuid() && (found.mode & OTHERS_WRITE) === 0)
}

/** Lists what a folder holds, and which of it is a folder. */
const list = (folder) => require('node:fs').readdirSync(folder, { withFileTypes: true })

/** Tells whether a folder holds what Node.js wrote there, which it would read without looking. */
const holdsCode = (folder) => {
  const { lstatSync } = require('node:fs')
  const isSound = (entry) => entry.isFile() && lstatSync(`${entry.parentPath}/${entry.name}`).size <= MOST_BYTES
  const folders = list(folder)
  if (!folders.every((entry) => entry.isDirectory())) return false
  const files = folders.flatMap(({ name }) => list(`${folder}/${name}`))
  return files.length <= MOST_FILES && files.every(isSound)
}

/** Keeps compiled code in a folder of the user's own cache: a third of the time that a short command takes. */
const cacheCode = () => {
  const { HOME, LOCALAPPDATA, XDG_CACHE_HOME } = process.env
  const cache = XDG_CACHE_HOME || LOCALAPPDATA || (HOME && `${HOME}/.cache`)
  if (!cache) return
  const folder = `${cache}/kpi/code-${process.version}`
  const { mkdirSync, rmSync } = require('node:fs')
  try {
    mkdirSync(folder, PRIVATE)
    if (!isOwnFolder(`${cache}/kpi`) || !isOwnFolder(folder)) return
    if (!holdsCode(folder)) {
      rmSync(folder, { recursive: true })
      mkdirSync(folder, PRIVATE)
    }
    require('node:module').enableCompileCache(folder)
  } catch {
    // Without the cache the program only starts later.
  }
}

/** Loads the program, which a clone has to build first. */
const loadProgram = (isVersion) => {
  const program = `${__dirname}/../dist/${isVersion ? 'version' : 'main'}.js`
  if (require('node:fs').existsSync(program)) return require(program)
  fail('it is not built, as its install scripts did not run; build it: npm run build')
  return {}
}

const start = async () => {
  process.umask(process.umask() | OTHERS_WRITE)
  const isHandedOver = process.env[HANDED_OVER] !== undefined
  if (isHandedOver) endWithParent()
  const args = process.argv.slice(2)
  const isVersion = args[0] === '--version' || args[0] === '-V'
  if (!isVersion) cacheCode()
  const { run, processIo, endSoon } = loadProgram(isVersion)
  if (!run) return
  process.exitCode = await run(args, processIo(isHandedOver))
  if (isHandedOver) process.send?.(process.exitCode)
  endSoon?.(process.exitCode)
}

void (Number.parseInt(process.versions.node, 10) < LEAST ? handOver() : start())
