import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { isFirst } from './first-flags.ts'
import { pathOf } from './help-layout.ts'

/** Bounds the lines of help that shows the first flags. */
const SCREEN_LINES = 40
/** Bounds the examples in it. */
const FEW_EXAMPLES = 4

const countLines = (text: string): number => text.split('\n').length - 1

/**
 * Returns help that shows the first flags of a command, with as much of what stands below them as fits a screen: the first
 * examples, then the first paragraphs, and how all of it is shown.
 */
export const withinScreen = (
  { help, below }: { readonly help: string; readonly below: string },
  command: CommandUnknownOpts,
  wrapped: (text: string) => string,
): string => {
  const [notes = '', shown = ''] = below.split(/\nExamples:\n/)
  const [lines = ''] = shown.split('\n\n')
  const examples = lines
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, FEW_EXAMPLES)
  const ofExamples = examples.length === 0 ? '' : `\nExamples:\n${examples.join('\n')}\n`
  const hidden = command.options.filter((option) => !option.hidden && !isFirst(option)).length
  const end = wrapped(`\n${hidden} more flags, and all there is to know: ${pathOf(command)} --help --all\n`)
  let [text, room] = ['', SCREEN_LINES - countLines(help + ofExamples + end)]
  for (const paragraph of notes.split('\n\n').map((one) => one.replaceAll(/^\n|\n$/g, ''))) {
    const part = `\n${paragraph}\n`
    room -= countLines(part)
    if (paragraph === '' || room < 0) break
    text += part
  }
  return help + text + ofExamples + end
}
