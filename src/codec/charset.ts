/** Lists UTF-8, and US-ASCII by all of its names (IANA), which is a part of it. */
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

/** Returns whether a charset or an encoding is UTF-8 or a part of it, by its name. */
export const isUtf8Name = (name: string): boolean => UTF_8.has(name.toLowerCase())
