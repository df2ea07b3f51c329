import { fstatSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { isDevice } from '../../load/reading/files.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'

/** `data.rejects.csv` for `data.csv` or `data.csv.gz`, beside it; in the working directory for what is no file. */
const usualPath = ({ cwd }: Io, file: string): string => {
  if (file === '-' || isDevice(resolve(cwd, file))) return 'stdin.rejects.csv'
  const plain = file.replace(/\.gz$/i, '')
  return join(dirname(plain), `${basename(plain, extname(plain))}.rejects.csv`)
}

/** What a stream reads from, where that is known. */
const statOfStream = (stream: Readable): Stats | undefined =>
  'fd' in stream && typeof stream.fd === 'number' ? fstatSync(stream.fd) : undefined

/** Whether rejects would go into a file that is read, by whatever names the two are called. */
const isSameFile = ({ cwd, stdin }: Io, rejects: string, file: string): boolean => {
  const [one, other] = [resolve(cwd, rejects), resolve(cwd, file)]
  const written = statSync(one, { throwIfNoEntry: false })
  const read = file === '-' ? statOfStream(stdin) : statSync(other, { throwIfNoEntry: false })
  return one === other || (written?.isFile() === true && written.ino === read?.ino && written.dev === read.dev)
}

const rejectsPathOf = (io: Io, files: readonly string[], file: string, asked: string | undefined): string => {
  const path = asked ?? usualPath(io, file)
  const read = files.find((one) => isSameFile(io, path, one))
  if (read === file) throw new UsageError(`--rejects ${path} is the file that is imported; name another`)
  if (read !== undefined) {
    throw new UsageError(
      `${read} takes the rejects of ${file}, so it cannot be imported beside it; leave it out or rename it`,
    )
  }
  return path
}

/** Two files that would write over each other's rejects. */
const mustDiffer = ({ cwd }: Io, files: readonly string[], paths: readonly string[]): void => {
  const places = paths.map((path) => resolve(cwd, path))
  const again = places.findIndex((place, at) => places.indexOf(place) < at)
  if (again < 0) return
  const [first, second] = [files[places.indexOf(places[again] ?? '')], files[again]]
  throw new UsageError(
    first === second
      ? `${first} is named twice; name it once`
      : `the rejects of ${first} and ${second} would both go to ${paths[again]}; import one file at a time`,
  )
}

/** Where the rejects of each file go: never to a file that is imported, whose other rows would be lost. */
export const findRejectsPaths = (io: Io, files: readonly string[], asked: string | undefined): string[] => {
  const paths = files.map((file) => rejectsPathOf(io, files, file, asked))
  mustDiffer(io, files, paths)
  return paths
}
