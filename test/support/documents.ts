import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** The folder of the project. */
export const ROOT = join(import.meta.dirname, '..', '..')

/** A command line that a page shows, with the output that it shows for it. */
export type ShownCommand = { readonly line: number; readonly command: string; readonly output: readonly string[] }

const FOLDERS = ['.', 'docs', 'examples']

/** The pages of the project. */
export const pages = (): string[] =>
  FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: folder !== '.', encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => relative(ROOT, join(ROOT, folder, name))),
  )

type Block = { readonly language: string; readonly start: number; readonly lines: readonly string[] }

const blocksOf = (page: string): Block[] => {
  const blocks: Block[] = []
  let open: { language: string; start: number; lines: string[]; indent: string } | undefined
  for (const [at, line] of readFileSync(join(ROOT, page), 'utf8').split('\n').entries()) {
    // Blocks in lists are indented.
    const fence = /^( *)```(\w*)$/.exec(line)
    if (!fence) open?.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line)
    else if (open) {
      blocks.push(open)
      open = undefined
    } else open = { language: fence[2] ?? '', start: at + 2, lines: [], indent: fence[1] ?? '' }
  }
  return blocks
}

/** The command lines of a page that are shown with a `$` before them, and the output below each. */
export const consoleCommands = (page: string): ShownCommand[] => {
  const commands: { line: number; command: string; output: string[] }[] = []
  for (const { language, start, lines } of blocksOf(page)) {
    if (language !== 'console') continue
    for (const [at, line] of lines.entries()) {
      if (line.startsWith('$ ')) commands.push({ line: start + at, command: line.slice(2), output: [] })
      else commands.at(-1)?.output.push(line)
    }
  }
  return commands
}

/** The lines of a page that are to be typed, without any output. */
export const shellLines = (page: string): string[] =>
  blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ lines }) => lines)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))

/** Whether a printed text is what a page shows: `…` stands for any text in a line, a line of it for any lines. */
export const matchesShown = (printed: string, shown: readonly string[]): boolean => {
  const pattern = shown
    .map((line) =>
      line === '…'
        ? '(?:.*\n)*?'
        : `${line
            .split('…')
            .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
            .join('.*')}\n`,
    )
    .join('')
  return new RegExp(`^${pattern}$`).test(printed === '' || printed.endsWith('\n') ? printed : `${printed}\n`)
}
