import { keyAuthentication } from '../auth/bearer.ts'
import type { Handler } from '../wire.ts'
import { bodyFormats } from './body-format.ts'
import { createHandler, type HandlerOptions } from './handler.ts'
import { requireJson, requireJsonAccepted } from './media-type.ts'
import { PROBLEM_TYPE, problemJson } from './problem.ts'
import type { Protocol, VariantDefinition, BodyFormat } from './protocol.ts'
import { v1Routes } from './routes/index.ts'
import { v1Status } from './status.ts'

const bodyFormat: BodyFormat = {
  contentType: bodyFormats.json.contentType,
  read: bodyFormats.json.read,
  write: bodyFormats.json.write,
  writeError: (error, target) => problemJson(error, v1Status[error.code], target),
  errorType: PROBLEM_TYPE,
}

/** Describes the protocol of the newer variant: JSON alone, and problem details. */
export const v1Protocol: Protocol = {
  prefix: '/v1',
  challenge: 'Bearer',
  status: v1Status,
  bodyFormatFor: () => bodyFormat,
  requireContentType: (headers, takesBody) => {
    requireJsonAccepted(headers['accept'])
    requireJson(headers['content-type'], takesBody)
  },
}

/** Describes the newer variant: `/v1`, JSON, keys as Bearer credentials. */
export const v1: VariantDefinition = {
  protocol: v1Protocol,
  routes: v1Routes,
  isLenient: false,
  readCredentials: keyAuthentication,
  describe: async (place) => {
    const { describeV1 } = await import('./openapi/v1.ts')
    return describeV1(v1Routes, place)
  },
}

/** Creates the handler of the newer variant. */
export const createV1Handler = (deps: HandlerOptions): Handler => createHandler(v1, deps)
