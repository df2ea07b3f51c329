export { countOf } from '../../domain/count-text.ts'
import { isAddress } from '../../client/http/address.ts'
import { singleQuoted } from '../../reading/options/flag-text.ts'

/** Returns a word as it must be typed in a shell; to zsh, one that begins with = is a program. */
export const shellWord = (word: string): string => (/^(?!=)[\w./:@=,-]+$/.test(word) ? word : singleQuoted(word))

/** Returns the name of a file as an argument, which is never a flag, standard input, or an address. */
export const asPath = (file: string): string => (file.startsWith('-') || isAddress(file) ? `./${file}` : file)

/** Returns the name of a file as it must be typed in a shell as an argument. */
export const pathWord = (file: string): string => shellWord(asPath(file))
