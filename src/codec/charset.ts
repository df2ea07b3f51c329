/** Lists the names of UTF-8, and all IANA names of US-ASCII, which is a subset of it. */
const UTF_8: ReadonlySet<string> = new Set([
  'utf-8',
  'utf8',
  'us-ascii',
  'ascii',
  'us',
  'iso646-us',
  'iso_646.irv:1991',
  'iso-ir-6',
  'ansi_x3.4-1968',
  'ansi_x3.4-1986',
  'ibm367',
  'cp367',
  'csascii',
])

/** Tells whether the name of a charset or encoding means UTF-8 or a subset of it. */
export const isUtf8Name = (name: string): boolean => UTF_8.has(name.toLowerCase())
