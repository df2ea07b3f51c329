import { type CommandUnknownOpts, Help } from '@commander-js/extra-typings'

/** Sets how narrow the texts beside flags may become; flags that leave less have their text below. */
const LEAST_TEXT = 40
const INDENT = '  '
const BELOW = ' '.repeat(6)

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

/** Lays out help: texts stand beside their flags, or below those that leave them no room; words are never broken. */
export const HELP_LAYOUT = {
  minWidthToWrap: 20,
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
