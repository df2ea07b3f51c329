import type { Io } from '../io.ts'
import { bounded, oneLine, visibleJson } from './width.ts'

/** Lists the formats of notes on standard error. */
export const LOG_FORMATS = ['text', 'json'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

/** Describes the fields of an event for programs, besides its text. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | readonly unknown[] | object>>

type Level = 'debug' | 'info' | 'warning' | 'error'

/** Returns an event as a line of JSON. */
export const logLine = (io: Pick<Io, 'now'>, level: Level, event: string, fields: LogFields): string =>
  `${visibleJson({ ts: new Date(io.now()).toISOString(), level, event, ...fields })}\n`

/** Describes a line of a terminal that changes while a command works. */
export type LiveLine = { readonly hide: () => void; readonly show: () => void }

/** Holds a note: one line, whatever the names in it hold, or several. */
export type Note = string | readonly string[]

/** Prints notes beside the data: for people as text, for programs as a line of JSON each. */
export type Log = {
  readonly isJson: boolean
  /** Prints a note, unless `--quiet` is given. */
  readonly note: (text: Note, event?: string, fields?: LogFields) => Promise<void>
  /** Prints a warning, even under `--quiet`. */
  readonly warn: (text: Note, fields?: LogFields) => Promise<void>
  /** Shows a line from now on, below what is printed; undefined ends that. */
  readonly keepBelow: (line: LiveLine | undefined) => void
}

/** Creates a log on standard error in a format. */
export const createLog = (io: Io, format: LogFormat, isQuiet: boolean): Log => {
  const isJson = format === 'json'
  let [live, writing]: [LiveLine | undefined, number] = [undefined, 0]
  const write = async (text: string): Promise<void> => {
    live?.hide()
    writing += 1
    try {
      await io.stderr.write(text)
    } finally {
      writing -= 1
      if (writing === 0) live?.show()
    }
  }
  const print = (level: Level, event: string, text: Note, fields: LogFields): Promise<void> => {
    const lines = (typeof text === 'string' ? [text] : text).map((line) => bounded(line))
    return write(
      isJson
        ? logLine(io, level, event, { message: lines.join('\n').trim(), ...fields })
        : `${level === 'warning' ? 'warning: ' : ''}${lines.map(oneLine).join('\n')}\n`,
    )
  }
  return {
    isJson,
    note: async (text, event = 'note', fields = {}) => {
      if (!isQuiet) await print('info', event, text, fields)
    },
    warn: async (text, fields = {}) => {
      await print('warning', 'warning', text, fields)
      await io.onWarning?.(typeof text === 'string' ? text : text.join('; '))
    },
    keepBelow: (line) => {
      live?.hide()
      live = line
      if (writing === 0) live?.show()
    },
  }
}
