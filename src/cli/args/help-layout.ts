import { type CommandUnknownOpts, Help, type Option } from '@commander-js/extra-typings'

/** Sets how narrow the texts beside flags may become; flags that leave less have their text below. */
const LEAST_TEXT = 40
const INDENT = '  '
const BELOW = ' '.repeat(6)

/** Heads the flags of the program, which each command takes. */
export const OF_EVERY_COMMAND = 'Flags of every command'

/** Lists the topics of `kpi help` beside the commands. */
export const HELP_TOPICS = ['environment', 'formats', 'dates', 'exit-codes'] as const

/** Names a topic of `kpi help`. */
export type HelpTopic = (typeof HELP_TOPICS)[number]

/** Breaks the choices of a flag at their bars where the flag is wider than the screen. */
const brokenTerm = (term: string, width: number): string => {
  if (term.length + INDENT.length <= width) return `${INDENT}${term}`
  const lines: string[] = []
  for (const part of term.match(/[^|]+\|?/g) ?? []) {
    const longer = `${lines.at(-1) ?? INDENT}${part}`
    if (lines.length === 0 || longer.length <= width) lines[Math.max(0, lines.length - 1)] = longer
    else lines.push(`${BELOW}${part}`)
  }
  return lines.join('\n')
}

/** Returns the flags of a command as help lists them, below the heading of each group of them. */
const flagLines = (command: CommandUnknownOpts, helper: Help): string[] => {
  const width = helper.padWidth(command, helper)
  const itemOf = (option: Option): string =>
    helper.formatItem(helper.optionTerm(option), width, helper.optionDescription(option), helper)
  const usual = command.parent === null ? `${OF_EVERY_COMMAND}:` : 'Options:'
  const headingOf = ({ helpGroupHeading }: Option): string => helpGroupHeading ?? usual
  const groups = helper.groupItems([...command.options], helper.visibleOptions(command), headingOf)
  return [...groups].flatMap(([heading, options]) => helper.formatItemList(heading, options.map(itemOf), helper))
}

/** Tells whether a command only leads to others: the program itself, and a group without flags of its own. */
const isGroup = ({ commands, options, parent }: CommandUnknownOpts): boolean =>
  commands.length > 0 && (parent === null || options.length === 0)

/** Returns a command as it is typed. */
export const pathOf = (command: CommandUnknownOpts): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

/** Lays out help: texts stand beside their flags, or below those that leave them no room; words are never broken. */
export const HELP_LAYOUT = {
  minWidthToWrap: 20,
  // Commander lists flags first, which pushes the commands of a group off the screen.
  formatHelp: (command: CommandUnknownOpts, helper: Help): string => {
    if (!isGroup(command)) return Help.prototype.formatHelp.call(helper, command, helper)
    const width = helper.padWidth(command, helper)
    const withoutFlags: Help = Object.assign(Object.create(helper), { visibleOptions: () => [], padWidth: () => width })
    const start = Help.prototype.formatHelp.call(withoutFlags, command, withoutFlags)
    return [start, ...flagLines(command, helper)].join('\n')
  },
  // List the command `help` for the program alone, as it takes the words of any command.
  visibleCommands: (command: CommandUnknownOpts): CommandUnknownOpts[] => {
    const all: CommandUnknownOpts[] = Help.prototype.visibleCommands(command)
    return command.parent === null ? all : all.filter((one) => command.commands.includes(one))
  },
  padWidth: (command: CommandUnknownOpts, helper: Help): number => {
    const most = (helper.helpWidth ?? 80) - LEAST_TEXT - 2 * INDENT.length
    return Math.min(Help.prototype.padWidth.call(helper, command, helper), Math.max(0, most))
  },
  formatItem: (term: string, termWidth: number, text: string, helper: Help): string => {
    const width = helper.helpWidth ?? 80
    if (!text) return brokenTerm(term, width)
    const isBeside = term.length <= termWidth
    const column = isBeside ? ' '.repeat(termWidth + 2 * INDENT.length) : BELOW
    const lines = helper.boxWrap(text, width - column.length).split('\n')
    const wrapped = lines.map((line) => `${column}${line}`).join('\n')
    if (!isBeside) return `${brokenTerm(term, width)}\n${wrapped}`
    return `${INDENT}${term.padEnd(termWidth)}${INDENT}${wrapped.slice(column.length)}`
  },
}
