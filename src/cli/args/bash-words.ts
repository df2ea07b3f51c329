/** Names the quotes in which a word of bash goes on. */
export type Quote = '' | '"' | "'"

/**
 * Describes a word of bash: its text, as it is typed, the quotes that are open at its end, whether the text is what bash
 * makes of it, and whether it has signs outside of quotes that join commands or lead what they print elsewhere.
 */
type BashWord = { text: string; raw: string; quote: Quote; isPlain: boolean; isOperator: boolean }

/** Lists characters that mean something to bash outside of quotes, so that the word is not the text that it shows. */
const SPECIAL = /[$`!*?[\]{}()<>|&;#^]/
/** Lists those of them that join commands, or lead what they print elsewhere. */
const OPERATOR = /[|&;<>]/
/** Lists those that mean something in double quotes. */
const SPECIAL_IN_QUOTES = /[$`!]/
/** Lists those that a backslash quotes in double quotes; before others it stands for itself. */
const QUOTABLE = /[$`"\\]/

/** Adds a character to a word, and returns how many were read. */
const readCharacter = (word: BashWord, rest: string): number => {
  const [one = '', next = ''] = rest
  const { quote } = word
  if (one === '\\' && quote === "'") word.text += one
  else if (one === '\\') {
    word.text += quote === '"' && !QUOTABLE.test(next) ? one + next : next
    return one.length + next.length
  } else if (one === quote) word.quote = ''
  else if (quote === '' && (one === '"' || one === "'")) word.quote = one
  else {
    const isSpecial = quote === '' ? SPECIAL.test(one) : quote === '"' && SPECIAL_IN_QUOTES.test(one)
    if (isSpecial) word.isPlain = false
    if (quote === '' && OPERATOR.test(one)) word.isOperator = true
    word.text += one
  }
  return one.length
}

/** Divides a line into the words that bash would make of it; the last one is being typed, and may be empty. */
export const bashWords = (line: string): BashWord[] => {
  const begun = (): BashWord => ({ text: '', raw: '', quote: '', isPlain: true, isOperator: false })
  const words: BashWord[] = []
  let word = begun()
  for (let at = 0; at < line.length;) {
    const rest = line.slice(at, at + 4)
    if (word.quote === '' && /^\s/.test(rest)) {
      if (word.raw !== '') words.push(word)
      word = begun()
      at += 1
      continue
    }
    const length = readCharacter(word, rest)
    word.raw += rest.slice(0, length)
    at += length
  }
  return [...words, word]
}
