import { execFileSync } from 'node:child_process'

const WORD = String.raw`(?:'[^']*'|\\.|"[^"]*"|[^\s"'\\])+`
const WAY = new RegExp(`(?:--[a-z-]+(?:(?: (?!--)|=)${WORD})(?= )(?: (?=--))?)+`, 'g')

/** Returns the flags that a message advises, each way as the words that a shell makes of it when it is pasted. */
export const waysIn = (message: string): string[][] =>
  [...message.matchAll(WAY)].map(([way]) =>
    execFileSync('bash', ['-c', `printf '%s\\0' ${way}`], { encoding: 'utf8' })
      .split('\0')
      .slice(0, -1),
  )
