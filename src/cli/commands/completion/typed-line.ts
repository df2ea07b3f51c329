import { bashWords, type Quote } from '../../args/bash-words.ts'

/** Describes a line that is being typed: its words, the one that is completed as far as it goes, and what is inserted. */
type TypedLine = {
  readonly words: readonly string[]
  readonly current: string
  /** Returns what the shell puts in the place of what is typed, quoted as it must be; undefined where that cannot be. */
  readonly insertion: (value: string) => string | undefined
}

/** Writes a text in open quotes, which readline closes, but not behind a text that ends in such a quote. */
const closedAsReadline = (text: string, quote: Quote, write: (part: string) => string): string =>
  text.endsWith(quote) ? `${write(text.slice(0, -1))}${quote}\\${quote}` : write(text)

/** Writes a text in quotes that are open already; undefined in those where it cannot stand. */
const inBashQuotes: Readonly<Record<Quote, (text: string) => string | undefined>> = {
  '': (text) => text.replaceAll(/[^\p{L}\p{M}\p{N}\w./,:=@%+-]/gu, String.raw`\$&`),
  // Nothing keeps bash from looking for ! in its history within double quotes.
  '"': (text) =>
    text.includes('!')
      ? undefined
      : closedAsReadline(text, '"', (part) => part.replaceAll(/[$`"\\]/g, String.raw`\$&`)),
  "'": (text) => closedAsReadline(text, "'", (part) => part.replaceAll("'", String.raw`'\''`)),
}

/** Reads a line of bash, of which readline replaces only the end: what is behind an open quote, or =, : or @. */
const bashLine = (replaced: string, line: string): TypedLine | undefined => {
  const [, ...words] = bashWords(line)
  const last = words.pop()
  if (!last?.isPlain || !last.raw.endsWith(replaced)) return undefined
  const { text: kept = '' } = bashWords(last.raw.slice(0, last.raw.length - replaced.length)).at(-1) ?? {}
  return {
    words: words.map(({ text }) => text),
    current: last.text,
    insertion: (value) => (value.startsWith(kept) ? inBashQuotes[last.quote](value.slice(kept.length)) : undefined),
  }
}

/** Matches what PowerShell takes for a single quote: the typographic ones are the same to it. */
const SINGLE = /['‘’‚‛]/g
/** Matches a quote within a quoted word, which is written twice, or ends the text. */
const DOUBLED_SINGLE = /(['‘’‚‛])(?:['‘’‚‛]|$)/g
const DOUBLED_DOUBLE = /(["“”„])(?:["“”„]|$)/g
const OPENING = /^(--[\w-]+=)?(?:(['‘’‚‛])|(["“”„]))/

/** Returns the text of a word of PowerShell that is being typed; undefined where it holds something to be evaluated. */
const powershellText = (word: string): string | undefined => {
  const [opening = '', flag = '', single, double] = OPENING.exec(word) ?? []
  const text = word.slice(opening.length)
  if (single === undefined && /[$`]/.test(text)) return undefined
  const isQuoted = single !== undefined || double !== undefined
  return flag + (isQuoted ? text.replaceAll(single === undefined ? DOUBLED_DOUBLE : DOUBLED_SINGLE, '$1') : text)
}

/** Returns a text as a word of PowerShell, which older ones do not hand on whole if it has a double quote. */
const powershellWord = (text: string): string | undefined => {
  if (text.includes('"')) return undefined
  return /^[\p{L}\p{N}_-][\p{L}\p{N}_%+=:,./@-]*$/u.test(text) ? text : `'${text.replaceAll(SINGLE, '$&$&')}'`
}

const powershellLine = (words: readonly string[], word: string): TypedLine | undefined => {
  const current = powershellText(word)
  return current === undefined ? undefined : { words, current, insertion: powershellWord }
}

/** Returns the word that is completed, which comes behind an equals sign, as it may be empty or look like a flag. */
const behindEquals = (word = ''): string => word.replace(/^=/, '')

/**
 * Reads what the script of a shell says of the line, behind the name of the shell; undefined where nothing can be
 * completed safely. Zsh and fish read and write their quotes themselves. An older script names no shell, and what it
 * inserts may be run.
 */
export const readTypedLine = ([shell = '', ...given]: readonly string[]): TypedLine | undefined => {
  const [words, current] = [given.slice(0, -1), behindEquals(given.at(-1))]
  if (shell === '=bash') return bashLine(behindEquals(words[0]), current)
  if (shell === '=powershell') return powershellLine(words, current)
  return shell === '=zsh' || shell === '=fish' ? { words, current, insertion: (value) => value } : undefined
}
