import { openWithKey } from '../auth/bearer.ts'
import type { Face } from '../wire.ts'
import { formats } from './body-format.ts'
import { createFace, type FaceDeps } from './handler.ts'
import { mustBeJson, mustTakeJson } from './media-type.ts'
import { PROBLEM_TYPE, problemJson } from './problem.ts'
import type { Style, Variant, Wording } from './protocol.ts'
import { v1Routes } from './routes/index.ts'
import { v1Status } from './status.ts'

const wording: Wording = {
  contentType: formats.json.contentType,
  read: formats.json.read,
  write: formats.json.write,
  writeError: (error, target) => problemJson(error, v1Status[error.code], target),
  errorType: PROBLEM_TYPE,
}

/** Describes the protocol of the newer variant: JSON alone, and problem details. */
export const v1Style: Style = {
  prefix: '/v1',
  challenge: 'Bearer',
  status: v1Status,
  wordingFor: () => wording,
  mustSpeak: (headers, takesBody) => {
    mustTakeJson(headers['accept'])
    mustBeJson(headers['content-type'], takesBody)
  },
}

/** Describes the newer variant: `/v1`, JSON, keys as Bearer credentials. */
export const v1: Variant = {
  style: v1Style,
  routes: v1Routes,
  isLenient: false,
  openDoor: openWithKey,
  describe: async (place) => {
    const { describeV1 } = await import('./openapi/v1.ts')
    return describeV1(v1Routes, place)
  },
}

/** Creates the handler of the newer variant. */
export const v1Face = (deps: FaceDeps): Face => createFace(v1, deps)
