import type { Option } from '@commander-js/extra-typings'
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, matchesGlob, normalize, parse, relative, resolve, sep } from 'node:path'
import { isAddress, shownSource } from '../../../client/http/address.ts'
import { FileFault, fileError } from '../../../files/file-error.ts'
import { faultOfPath, isDevice, requireNoLink, requireOwnFolder } from '../../../files/place.ts'
import { nextTurn } from '../../../client/next-turn.ts'
import type { Cli } from '../../cli.ts'
import { holdsSomething } from '../../files/require-free.ts'
import { stepKinds } from './job-definition.ts'
import { takesPath } from '../../args/path-texts.ts'
import type { Step, StepFault } from './step.ts'
import { DATE, dated, isPattern, linesOf, type LinesPlace } from './step-lines.ts'

/** Describes where a job runs, and what its earlier steps do. */
type JobPlace = LinesPlace & {
  readonly cli: Pick<Cli, 'io'>
  /** Holds the folders that earlier steps make. */
  readonly made: readonly string[]
  /** Holds the files that earlier steps move away. */
  readonly moved: ReadonlySet<string>
}

/** Lists the flags that name a file to write. */
const OUTPUTS: ReadonlySet<string> = new Set(['to-file', 'append-since', 'rejects', 'receipt'])

/** Returns the nearest folder or file on a path that is there. */
const nearestThere = (path: string): string => (existsSync(path) ? path : nearestThere(dirname(path)))

/** Returns why something cannot be written, by a check that throws; undefined if it can. */
const faultBy = (check: () => void, shown: string): string | undefined => {
  try {
    check()
    return undefined
  } catch (error) {
    const failure = fileError(error, 'write', shown)
    return failure instanceof Error ? failure.message : String(failure)
  }
}

/** Returns why nothing can be written in a folder; undefined if it can. */
const faultOfWriting = (folder: string, shown: string): string | undefined =>
  faultBy(() => accessSync(folder, constants.W_OK | constants.X_OK), shown)

/** Returns why a folder can be neither made nor written in; undefined if it can. */
const faultOfFolder = ({ cwd, cli: { io } }: JobPlace, shown: string): string | undefined => {
  if (isAddress(shown)) return 'it is an address, and has to be a folder; name one'
  try {
    requireOwnFolder(resolve(cwd, shown), cwd, io.uid)
  } catch (error) {
    if (error instanceof FileFault) return error.message
    throw error
  }
  const there = nearestThere(resolve(cwd, shown))
  if (statSync(there).isDirectory()) return faultOfWriting(there, shown)
  const name = relative(cwd, there) || there
  return `${name} is a file, and has to be a folder; move the file away, or name another folder`
}

/** Tells whether a target of an import is a file, which can be moved. */
const isMovable = (cwd: string, target: string): boolean =>
  target !== '-' && !isAddress(target) && !isDevice(resolve(cwd, target))

/** Tells whether a pattern of an import finds a path. */
export const finds = (cwd: string, pattern: string, path: string): boolean =>
  matchesGlob(isAbsolute(pattern) ? path : relative(cwd, path), normalize(pattern))

/** Returns what is wrong with the files that a step moves: where they are, and that it would find them again. */
const faultsOfMoved = async (place: JobPlace, step: Step, folder: string): Promise<StepFault[]> => {
  const { cwd, today, signal } = place
  const files = (await linesOf(step, place)).flatMap(({ file }) =>
    file !== undefined && isMovable(cwd, file) && existsSync(resolve(cwd, file)) ? [file] : [],
  )
  const unwritable = new Set(files.map((file) => faultOfWriting(dirname(resolve(cwd, file)), dirname(file))))
  const moved = new Set(files.map((file) => join(resolve(cwd, folder), basename(file))))
  let again: string | undefined
  for (const pattern of step.targets) {
    if (again !== undefined) break
    for (const path of moved) {
      await nextTurn(signal)
      if (finds(cwd, dated(pattern, today), path)) again = pattern
    }
  }
  return [
    ...[...unwritable].flatMap((why) =>
      why === undefined ? [] : [{ at: step.kind, message: `no file can be moved from there: ${why}` }],
    ),
    ...(again === undefined
      ? []
      : [
          {
            at: 'move_to',
            message: `move_to ${folder}: ${again} would find the moved files again; name another folder`,
          },
        ]),
  ]
}

/** Returns why files could not be moved once they are imported. */
export const faultsOfMoving = async (place: JobPlace, step: Step): Promise<StepFault[]> => {
  if (step.moveTo === undefined) return []
  const { cwd, today } = place
  const [folder, targets] = [dated(step.moveTo, today), step.targets.map((one) => dated(one, today))]
  const why = faultOfFolder(place, folder)
  return [
    ...targets
      .filter((one) => !isMovable(cwd, one))
      .map((one) => ({
        at: 'move_to',
        message: `move_to goes with files, and ${shownSource(one)} is none: import it in a step without`,
      })),
    ...(why === undefined ? [] : [{ at: 'move_to', message: `move_to ${folder}: ${why}` }]),
    ...(await faultsOfMoved(place, step, folder)),
  ]
}

/** Returns the files that a step writes, each with the part of the step that names it. */
export const outputsOf = ({ kind, targets, flags }: Step): { readonly at: string; readonly file: string }[] => {
  const own = stepKinds[kind].flag === undefined ? [] : targets.map((file) => ({ at: kind, file }))
  const named = flags.flatMap(([flag, file]) => (OUTPUTS.has(flag) && file !== true ? [{ at: `--${flag}`, file }] : []))
  return [...own, ...named]
}

/** Returns which of the texts of a step that name files and folders cannot be paths; they are too long to be shown. */
export const faultsOfPaths = (
  { cwd, today }: Pick<JobPlace, 'cwd' | 'today'>,
  { kind, targets, flags, moveTo }: Step,
  options: readonly Option[],
): StepFault[] => {
  const named = [
    // A pattern may be longer than what it finds.
    ...targets.filter((text) => kind !== 'import' || !isPattern(text)).map((text) => ({ at: kind, text })),
    ...(moveTo === undefined ? [] : [{ at: 'move_to', text: moveTo }]),
    ...flags.flatMap(([flag, text]) =>
      text !== true && options.some((one) => one.long === `--${flag}` && takesPath(one))
        ? [{ at: `--${flag}`, text }]
        : [],
    ),
  ]
  return named.flatMap(({ at, text }) => {
    const why = isAddress(text) ? undefined : faultOfPath(resolve(cwd, dated(text, today)))
    return why === undefined ? [] : [{ at, message: `${at.replace(/^--/, '')} cannot be a path: ${why}` }]
  })
}

/** Returns why a file cannot be written at a path; undefined if it can, or its folder is made by then. */
export const faultOfOutput = (path: string, shown: string, made: readonly string[]): string | undefined => {
  const folder = dirname(path)
  const why = faultOfPath(path)
  if (why !== undefined) return `no file can have this path: ${why}`
  if (isDevice(path)) return undefined
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    return `${shown} is a folder; name a file, such as one in it`
  const link = faultBy(() => requireNoLink(path), shown)
  if (link !== undefined) return link
  if (made.some((one) => one === folder || one.startsWith(folder + sep))) return undefined
  // A file is no folder, even if it can be written.
  return faultOfWriting(`${folder}${sep}.`, shown)
}

/** Returns why the files of a step could not be written. */
export const faultsOfOutputs = ({ cwd, today, made }: JobPlace, step: Step): StepFault[] =>
  outputsOf(step).flatMap(({ at, file }) => {
    const shown = dated(file, today)
    const message = shown === '-' ? undefined : faultOfOutput(resolve(cwd, shown), shown, made)
    return message === undefined ? [] : [{ at, message }]
  })

/** Tells whether a step adds to a file. */
const addsTo = ({ flags }: Step, file: string): boolean =>
  flags.some(([flag, value]) => flag === 'append-since' && value === file)

const KEPT = 'exists already, and this step would fail, as it does not replace files'

/** Returns the files that a step writes only where none is there. */
export const keptOutputsOf = (step: Step): ReturnType<typeof outputsOf> =>
  step.flags.some(([flag]) => flag === 'force')
    ? []
    : outputsOf(step).filter(({ at, file }) => (at === step.kind || at === '--to-file') && !addsTo(step, file))

/** Says how a step writes its file in each run. */
const wayOut = (file: string): string => {
  const { dir, name, ext } = parse(file)
  return `add flags: { force: true }, or name the file after the day: ${join(dir, `${name}-${DATE}${ext}`)}`
}

/**
 * Returns the files that a step would write and that are there already. One of a day is another one tomorrow, and must
 * not stop a second run of the same day.
 */
export const faultsOfKept = ({ cwd, moved }: Pick<JobPlace, 'cwd' | 'moved'>, step: Step): StepFault[] => {
  if (step.goesOn) return []
  return keptOutputsOf(step).flatMap(({ at, file }) => {
    const path = resolve(cwd, file)
    if (file.includes(DATE) || moved.has(path) || !holdsSomething(path)) return []
    return [{ at, message: `${file} ${KEPT}: ${wayOut(file)}` }]
  })
}

/** Says of the files that a job writes for the first time that they keep its next run from beginning. */
export const warningsOfKept = ({ cwd, today }: Pick<JobPlace, 'cwd' | 'today'>, steps: readonly Step[]): string[] => {
  const isMoved = (path: string): boolean =>
    steps.some(
      ({ moveTo, targets }) => moveTo !== undefined && targets.some((one) => finds(cwd, dated(one, today), path)),
    )
  return steps.flatMap((step, at) =>
    step.goesOn
      ? []
      : keptOutputsOf(step).flatMap(({ file }) =>
          file === '-' || file.includes(DATE) || isDevice(resolve(cwd, file)) || isMoved(resolve(cwd, file))
            ? []
            : [
                `step ${at + 1}, ${step.kind}: the next run of this job will be refused, as ${file} exists by then: ${wayOut(file)}`,
              ],
        ),
  )
}

/** Returns the files that are there, and that a step moves away. */
export const filesMovedBy = async (place: LinesPlace, step: Step): Promise<string[]> =>
  step.moveTo === undefined
    ? []
    : (await linesOf(step, place)).flatMap(({ file }) => (file === undefined ? [] : [resolve(place.cwd, file)]))

/** Returns the folder that a step makes; undefined if it makes none. */
export const folderMadeBy = ({ cwd, today }: Pick<JobPlace, 'cwd' | 'today'>, { moveTo }: Step): string | undefined =>
  moveTo === undefined ? undefined : resolve(cwd, dated(moveTo, today))
