import { appendFile, appendFileSync, closeSync, constants, fstatSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'
import { FileFault, systemCode } from './file-error.ts'
import { requireRegular } from './read-file.ts'
import { isOpenFile, requireNoLink } from './place.ts'

const appendLater = promisify(appendFile)

/** Describes a file that lines are added to. */
type Appending = {
  readonly mode?: number
  /** Tells that it has to be new. */
  readonly isNew?: boolean
  /** Tells that the user named it, so that it may be a pipe or a device. */
  readonly isNamed?: boolean
}

const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK | constants.O_NOCTTY

const openIt = (path: string, { mode = 0o600, isNew = false, isNamed = false }: Appending): number => {
  const isOpen = isNamed && isOpenFile(path)
  try {
    return openSync(path, FLAGS | (isNew ? constants.O_EXCL : 0) | (isOpen ? 0 : constants.O_NOFOLLOW), mode)
  } catch (error) {
    if (systemCode(error) === 'ELOOP') requireNoLink(path)
    throw error
  }
}

/** Refuses a file with a second name: whoever gave it that would have it written. */
export const requireOneName = ({ nlink }: { readonly nlink: number }): void => {
  if (nlink > 1)
    throw new FileFault('it has a second name (a hard link), under which it would change, too; copy it, or remove it')
}

/** Adds text to a file. A link in its place is refused, and so is a file that is known by another name, too. */
export class AppendedFile {
  readonly #file: number

  constructor(path: string, appending: Appending = {}) {
    this.#file = openIt(path, appending)
    try {
      const found = fstatSync(this.#file)
      const isSpecial = appending.isNamed === true && (isOpenFile(path) || found.isFIFO() || found.isCharacterDevice())
      if (isSpecial) return
      requireRegular(found)
      requireOneName(found)
    } catch (error) {
      closeSync(this.#file)
      throw error
    }
  }

  /** Adds a text. */
  write(text: string): void {
    appendFileSync(this.#file, text)
  }

  /** Returns how many bytes the file has. */
  size(): number {
    return fstatSync(this.#file).size
  }

  /** Adds a text without holding up the process. */
  async writeLater(text: string): Promise<void> {
    await appendLater(this.#file, text)
  }

  /** Flushes the file to the disk. */
  sync(): void {
    fsyncSync(this.#file)
  }

  close(): void {
    closeSync(this.#file)
  }
}

/** Adds a text to a file, and flushes it to the disk. */
export const appendToFile = (path: string, text: string): void => {
  const file = new AppendedFile(path)
  try {
    file.write(text)
    file.sync()
  } finally {
    file.close()
  }
}

/** Overwrites bytes of a file with blanks, so that what stands behind them stays in its place. */
export const blankOut = (path: string, from: number, to: number): void => {
  const file = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    const found = fstatSync(file)
    requireRegular(found)
    requireOneName(found)
    const blanks = Buffer.alloc(to - from, ' ')
    blanks.write('\n', to - from - 1)
    for (let done = 0; done < blanks.length;) done += writeSync(file, blanks, done, undefined, from + done)
  } finally {
    closeSync(file)
  }
}
