import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import type { NamedField, Printable } from '../../domain/schema.ts'

/** Describes what a command prints as JSON: one record, or a list of them. */
export type Printed = {
  readonly of: Printable
  readonly isList: boolean
  /** Lists fields that it may have beside those of the records. */
  readonly more?: readonly NamedField[]
  /** Tells that the line decides which fields there are. */
  readonly isOpen?: true
}

/** Returns what a command may print as JSON. */
type Prints = () => readonly Printed[] | Promise<readonly Printed[]>

/** Describes the output of a command: its records, and whether these, or something else, go to the file of `--to-file`. */
type CommandOutput = { readonly prints: Prints; readonly ownsFile: boolean }

const outputs = new WeakMap<CommandUnknownOpts, CommandOutput>()

/** Returns the output of a command; undefined if it prints no records. */
export const outputOf = (command: CommandUnknownOpts): CommandOutput | undefined => outputs.get(command)

/** Tells whether a command has a flag, such as `--force`. */
const hasFlag = ({ options }: CommandUnknownOpts, flag: string): boolean => options.some(({ long }) => long === flag)

/** Heads the flags of output in help. */
const HEADING = 'Output:'

/** Returns the flags of output; a command must have its own, as parsing changes them. */
const outputFlags = (ownsFile: boolean): Option[] => {
  const excel = new Option('--excel <locale>', 'write CSV for spreadsheets of a locale, such as de-DE')
  const toFile = new Option(
    '--to-file <file>',
    'write to this file instead, all or nothing, in the format of its ending: .csv, .json, .ndjson, .yaml or .md, also with .gz behind it',
  )
  const force = new Option('--force', 'replace a file that is there')
  return (ownsFile ? [excel] : [toFile, force, excel]).map((option) => option.helpGroup(HEADING))
}

/** Adds flags to a command, except those that it has already. */
const addMissing = (command: CommandUnknownOpts, options: readonly Option[]): void => {
  for (const option of options) {
    if (!hasFlag(command, option.long ?? '')) command.addOption(option)
  }
}

/**
 * Says of a command what records it prints, and adds the flags that write them to a file, unless it has a `--to-file` of
 * its own.
 */
export const addOutput = (command: CommandUnknownOpts, prints: Prints): void => {
  const ownsFile = hasFlag(command, '--to-file')
  outputs.set(command, { prints, ownsFile })
  addMissing(command, outputFlags(ownsFile))
}

/** Says of a command that it prints one record. */
export const printsOne = (command: CommandUnknownOpts, of: Printable): void =>
  addOutput(command, () => [{ of, isList: false }])

/** Says of a command that it prints a list. */
export const printsList = (command: CommandUnknownOpts, of: Printable): void =>
  addOutput(command, () => [{ of, isList: true }])
