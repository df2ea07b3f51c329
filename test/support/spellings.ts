import fc from 'fast-check'

/** Draws other ways to write a text that mean the same name: its case, form, blanks and invisible signs. */
export const spellings = (text: string): fc.Arbitrary<string> => {
  const wide = text.replaceAll(/[!-~]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0))
  const written = fc.constantFrom(text, text.toUpperCase(), text.toLowerCase(), wide)
  const form = fc.constantFrom('NFC', 'NFD', 'NFKD')
  const [blank, sign] = [
    fc.constantFrom(' ', '\u00a0', '\u3000', '  ', '\n', '\u2009', ' \u00a0'),
    fc.constantFrom('\u200b', '\u00ad', '\u2060', '\ufeff', '\u200e', ''),
  ]
  return fc.tuple(written, form, blank, sign, fc.nat(text.length)).map(([one, to, between, invisible, at]) => {
    const letters = Array.from(one.replaceAll(/[ \u3000]/g, between).normalize(to))
    return [...letters.slice(0, at), invisible, ...letters.slice(at)].join('')
  })
}
