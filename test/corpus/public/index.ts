import { ELSEWHERE } from './elsewhere.ts'
import { EUROPE } from './europe.ts'
import { NORTH_AMERICA } from './north-america.ts'
import type { PublicFile } from './public-file.ts'

/** Lists all public files. Their bytes are not kept here: the README says why, and how they are checked. */
export const PUBLIC_FILES: readonly PublicFile[] = [...NORTH_AMERICA, ...EUROPE, ...ELSEWHERE]
