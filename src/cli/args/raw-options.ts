/**
 * Names the hidden command by which shells complete a line. It gets the shell (`=zsh`), the words before the one that is
 * completed, and that one behind an equals sign; from bash, what is replaced (`=$2`) and the whole line. It prints a
 * candidate a line: what is inserted, a tab, what it is, a tab, and its text. A line of `:files` asks for files, too.
 */
export const COMPLETE = '__complete'

/** Returns the value in `--output=json` or `-ojson`. */
const valueAfter = (arg: string, name: string): string | undefined => {
  const start = name.startsWith('--') ? `${name}=` : name
  return arg.startsWith(start) ? arg.slice(start.length) || undefined : undefined
}

/** Returns the value that a line gives for a flag, even where the line as a whole cannot be parsed. */
export const givenIn = (args: readonly string[], ...names: readonly string[]): string | undefined =>
  args
    .map((arg, at) =>
      names.includes(arg) ? args[at + 1] : names.map((name) => valueAfter(arg, name)).find((value) => value),
    )
    .findLast((value) => value !== undefined)

/** Tells whether a line asks for JSON lines on standard error. */
export const isLogJson = (args: readonly string[]): boolean => givenIn(args, '--log-format') === 'json'
