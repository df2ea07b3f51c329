import { type GlobalFlags, placeFlags } from './settings.ts'
import { shellWord } from './shell-word.ts'

/** What has to follow a command that is advised, so that it goes to the same place as the one that advises it. */
export const placeWords = (flags: GlobalFlags): string =>
  placeFlags(flags)
    .map((word) => ` ${shellWord(word)}`)
    .join('')
