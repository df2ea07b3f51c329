import { hash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { KpiError } from '../../domain/errors.ts'
import {
  nameOfPath,
  type NotedChange,
  openRun,
  openRunAt,
  readHead,
  type RunHead,
  type RunRecord,
  runPaths,
} from '../../runs/run-record.ts'
import type { Io } from '../io.ts'
import { makeFolder, receiptsFolder } from './folders.ts'

/** Sets for how many days the records of runs are kept. */
const KEPT_DAYS = 90
const DAY_MS = 86_400_000

const NAME_LENGTH = 32

/** Describes a run that begins: the command, what it reads, and what it was asked to do. */
export type BegunRun = Pick<RunHead, 'command' | 'service' | 'account' | 'source' | 'content'>

/** Returns the name of a run that begins now: its time, and something that no other has. */
const runName = (io: Io): string => {
  const at = new Date(io.now()).toISOString().replaceAll(/[-:]/g, '').slice(0, 15)
  return `${at}-${Buffer.from(io.random(3)).toString('hex')}`
}

/** Removes the records of old runs, also of those that were cut off, but those of applies, by which `--prune` goes. */
const removeOldRuns = (io: Io): void => {
  const oldest = io.now() - KEPT_DAYS * DAY_MS
  const nameThen = new Date(oldest).toISOString().replaceAll(/[-:]/g, '').slice(0, 15)
  for (const path of runPaths(receiptsFolder(io))) {
    if ((nameOfPath(path) ?? '') >= nameThen) continue
    const head = readHead(path)
    if (head && head.beganAt < oldest && head.command !== 'apply') rmSync(path, { force: true })
  }
}

/**
 * Opens the record of a run that changes definitions, among the receipts or, until it has ended, in a folder of its
 * own; continues that of the same one if it was cut off.
 */
export const beginRun = (io: Io, begun: BegunRun, folder = receiptsFolder(io)): RunRecord => {
  makeFolder(receiptsFolder(io), 'state folder')
  removeOldRuns(io)
  const { service, account, command, source, content } = begun
  const identity = hash('sha256', JSON.stringify([service, account, command, source, content]), 'hex')
  const head = { ...begun, name: runName(io), beganAt: io.now() }
  return openRun(folder, identity.slice(0, NAME_LENGTH), head, receiptsFolder(io))
}

/** Opens a record in memory, for a run whose record cannot be written. */
export const beginUnkeptRun = (io: Io, begun: BegunRun): RunRecord =>
  openRun(undefined, '', { ...begun, name: runName(io), beganAt: io.now() })

/** Describes a run as its record says. */
type ReadRun = { readonly path: string; readonly head: RunHead; readonly changes: readonly NotedChange[] }

/** Reads the record of a run; undefined if it is not wanted, is in use, or cannot be read. */
const readRun = (path: string, isWanted: (head: RunHead) => boolean): ReadRun | undefined => {
  try {
    const run = openRunAt(path)
    try {
      return isWanted(run.head) ? { path, head: run.head, changes: run.changes() } : undefined
    } finally {
      run.leave()
    }
  } catch (error) {
    if (error instanceof KpiError) return undefined
    throw error
  }
}

/** Reads the runs that are wanted, the oldest first. */
export const readRuns = (io: Io, isWanted: (head: RunHead) => boolean): ReadRun[] =>
  runPaths(receiptsFolder(io))
    .flatMap((path) => readRun(path, isWanted) ?? [])
    .toSorted((one, other) => one.head.beganAt - other.head.beganAt)

/** Returns the name of an account, whichever way a record has it. */
const accountName = (account: string): string => account.replace(/^account /, '')

/** Returns what undos have changed in an account of a service, the oldest first: ids of other accounts mean other records. */
export const changesOfUndos = (io: Io, { service, account }: Pick<RunHead, 'service' | 'account'>): NotedChange[] =>
  readRuns(
    io,
    (head) => head.command === 'undo' && head.service === service && accountName(head.account) === accountName(account),
  ).flatMap(({ changes }) => changes)
