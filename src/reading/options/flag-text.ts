const PLAIN = /^(?!=)[\p{L}\p{N},.:_=+/%@-]+$/u
/** Matches what means something to a shell within double quotes, which more shells know than single ones. */
const SPECIAL = /["$`\\!]/

/** Returns a text in single quotes as bash, zsh and fish read it: to fish, a backslash in them escapes. */
export const singleQuoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`'\$&'`)}'`

/** Returns a text as one word of a shell. */
export const shellWord = (text: string): string => {
  if (PLAIN.test(text)) return text
  return SPECIAL.test(text) ? singleQuoted(text) : `"${text}"`
}

/** Returns texts as the value of a flag that takes a list, as it is typed in a shell. */
export const listValue = (...texts: readonly string[]): string =>
  shellWord(texts.map((text) => (/[,"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(','))

/** Returns a flag with a list, as it is typed in a shell; a text that is there twice is named once. */
export const listFlag = (flag: string, texts: readonly string[]): string => {
  const value = listValue(...new Set(texts))
  // A dash would begin the next flag.
  return texts[0]?.startsWith('-') ? `${flag}=${value}` : `${flag} ${value}`
}

/** Returns the flag that says which column, or which columns together, have a role. */
export const mapFlag = (role: string, ...names: readonly string[]): string =>
  listFlag('--map', [`${role}=${names.join('+')}`])
