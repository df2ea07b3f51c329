import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings'

/** Holds the flags that people use first, of commands with more than a screen shows. */
const first = new WeakSet<Option>()

/** Marks flags of a command, which are all declared, as those that help shows without `--all`. */
export const markFirst = (command: CommandUnknownOpts, flags: readonly string[]): void => {
  for (const flag of flags) {
    const option = command.options.find(({ long }) => long === flag)
    if (option) first.add(option)
    // Look only at a command that the line names: others have no flags here.
    else if (command.options.length > 0) throw new Error(`${command.name()} has no flag ${flag} to show first`)
  }
}

/** Tells whether help shows a flag without `--all`. */
export const isFirst = (option: Option): boolean => first.has(option)
