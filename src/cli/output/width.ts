/** How many columns of a terminal a text takes. */
export type Width = (text: string) => number

const PLAIN = /^[\x20-\x7e]*$/
const CONTROL = /\p{Cc}/gu

/** One line of text that cannot steer the terminal; line ends are shown as marks. */
export const oneLine = (text: string): string =>
  PLAIN.test(text) ? text : text.replaceAll('\n', ' ⏎ ').replaceAll(CONTROL, '\ufffd')

/** Loads what knows wide characters only where there are any: that takes longer than drawing most tables. */
export const loadWidth = async (rows: readonly (readonly string[])[]): Promise<Width> => {
  if (rows.every((row) => row.every((text) => PLAIN.test(text)))) return (text) => text.length
  const { default: stringWidth } = await import('string-width')
  return (text) => (PLAIN.test(text) ? text.length : stringWidth(text))
}

/** The text, cut to a width, with a mark where something is missing. */
export const shorten = (text: string, width: number, widthOf: Width): string => {
  if (widthOf(text) <= width) return text
  let short = ''
  for (const character of text) {
    if (widthOf(short + character) > width - 1) break
    short += character
  }
  return `${short}…`
}

/** The text in lines of a width, which end between words where they can. */
export const wrap = (text: string, width: number, widthOf: Width): string[] => {
  if (widthOf(text) <= width) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (widthOf(longer) <= width) line = longer
    else {
      if (line !== '') lines.push(line)
      line = ''
      for (const character of word) {
        if (widthOf(line + character) > width && line !== '') {
          lines.push(line)
          line = ''
        }
        line += character
      }
    }
  }
  return [...lines, line]
}
