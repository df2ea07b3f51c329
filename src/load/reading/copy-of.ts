/** A copy of a text that was cut out of a longer one, which the engine would keep in memory as long as its part. */
export const copyOf = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le')
