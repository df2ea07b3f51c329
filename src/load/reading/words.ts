import type { Content } from './inspect.ts'
import { windowsText } from './windows-1252.ts'

/** A word of a file with letters that are not ASCII, and its line. */
type Word = { readonly line: number; readonly word: string }

const HIGH = 'À-ÖØ-öø-ÿŠšŒœŽžŸ'
const LETTER = `[A-Za-z${HIGH}]`
const LARGE = 'À-ÖØ-ÞŠŒŽŸ'
const SMALL = 'a-zß-öø-ÿšœž'

/** What no language of Windows-1252 writes, but other encodings look like: symbols in words, words of foreign letters. */
const STRANGE = new RegExp(
  [
    `${LETTER}[†‡‰ˆ˜™‹›ƒ¡¢£¤¥¦§¨©¬¯±³µ¶¸¹¼½¾¿÷“”€]+${LETTER}`,
    `${LETTER}[‚„]|¯${LETTER}|${LETTER}¯`,
    `(?<!${LETTER})[${HIGH}]{3,}(?!${LETTER})|[${HIGH}]{4,}`,
    `[${SMALL}][${LARGE}]|Ÿ[${SMALL}]|[A-Z][ŠŽŒ][a-z]`,
    `(?<!${LETTER})£[a-z]{3,}`,
  ].join('|'),
  'u',
)
const WORD = /[^\s,;|"]+/gu
const NOT_ASCII = /[^\s\x21-\x7e]/u

const WORD_END = /[\s,;|"]/

const EXAMPLES = 3
const LONGEST_WORD = 40
const LONGEST_REST = 1 << 16

const wordAround = (text: string, at: number): string => {
  const before =
    text
      .slice(Math.max(0, at - LONGEST_WORD), at)
      .split(WORD_END)
      .at(-1) ?? ''
  const [after = ''] = text.slice(at, at + LONGEST_WORD).split(WORD_END, 1)
  return before + after
}

const lineAt = (text: string, at: number, first: number): number => first + text.slice(0, at).split('\n').length - 1

/** The text of a file as Windows-1252, in parts that do not cut words, with the line that each begins on. */
async function* textOf(content: Content): AsyncGenerator<{ text: string; line: number }> {
  let [rest, line] = ['', 1]
  for await (const chunk of content) {
    const text = rest + windowsText(chunk)
    const end = text.lastIndexOf('\n') + 1
    const cut = end === 0 && text.length > LONGEST_REST ? text.length : end
    yield { text: text.slice(0, cut), line }
    line = lineAt(text, cut, line)
    rest = text.slice(cut)
  }
  yield { text: rest, line }
}

/** Looks at the words of a file as Windows-1252 has them: the first that are not ASCII, and the first that is none. */
export const lookAtWords = async (content: Content): Promise<{ strange: Word | undefined; examples: Word[] }> => {
  const examples: Word[] = []
  for await (const { text, line } of textOf(content)) {
    const at = text.search(STRANGE)
    if (at >= 0) return { strange: { line: lineAt(text, at, line), word: wordAround(text, at) }, examples }
    if (examples.length === EXAMPLES) continue
    for (const { 0: word, index } of text.matchAll(WORD)) {
      if (examples.length === EXAMPLES) break
      if (NOT_ASCII.test(word) && examples.every((one) => one.word !== word)) {
        examples.push({ line: lineAt(text, index, line), word: word.slice(0, LONGEST_WORD) })
      }
    }
  }
  return { strange: undefined, examples }
}
