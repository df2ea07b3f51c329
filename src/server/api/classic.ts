import { tokenAuthentication } from '../auth/basic.ts'
import type { Handler } from '../wire.ts'
import { bodyFormats } from './body-format.ts'
import { createHandler, type HandlerOptions } from './handler.ts'
import { chooseFormat, requireSupportedType } from './media-type.ts'
import type { Protocol, VariantDefinition } from './protocol.ts'
import { classicRoutes } from './routes/index.ts'
import { classicStatus } from './status.ts'

/** Describes the protocol of the classic interface: JSON or XML, statuses with a message. */
export const classicProtocol: Protocol = {
  prefix: '/api',
  challenge: 'Basic realm="kpi"',
  status: classicStatus,
  bodyFormatFor: (headers) => bodyFormats[chooseFormat(headers)],
  requireContentType: (headers, takesBody) => requireSupportedType(headers['content-type'], takesBody),
}

/** Describes the classic interface: `/api`, JSON or XML, Basic credentials. */
export const classic: VariantDefinition = {
  protocol: classicProtocol,
  routes: classicRoutes,
  isLenient: true,
  readCredentials: tokenAuthentication,
  describe: async (place) => {
    const { describeClassic } = await import('./openapi/classic.ts')
    return describeClassic(classicRoutes, place)
  },
}

/** Creates the handler of the classic interface. */
export const createClassicHandler = (deps: HandlerOptions): Handler => createHandler(classic, deps)
