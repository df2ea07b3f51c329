import { openWithToken } from '../auth/basic.ts'
import type { Face } from '../wire.ts'
import { formats } from './body-format.ts'
import { createFace, type FaceDeps } from './handler.ts'
import { chooseFormat, mustBeUnderstood } from './media-type.ts'
import type { Style, Variant } from './protocol.ts'
import { classicRoutes } from './routes/index.ts'
import { classicStatus } from './status.ts'

/** Describes the protocol of the classic interface: JSON or XML, statuses with a message. */
export const classicStyle: Style = {
  prefix: '/api',
  challenge: 'Basic realm="kpi"',
  status: classicStatus,
  wordingFor: (headers) => formats[chooseFormat(headers)],
  mustSpeak: (headers, takesBody) => mustBeUnderstood(headers['content-type'], takesBody),
}

/** Describes the classic interface: `/api`, JSON or XML, Basic credentials. */
export const classic: Variant = {
  style: classicStyle,
  routes: classicRoutes,
  isLenient: true,
  openDoor: openWithToken,
  describe: async (place) => {
    const { describeClassic } = await import('./openapi/classic.ts')
    return describeClassic(classicRoutes, place)
  },
}

/** Creates the handler of the classic interface. */
export const classicFace = (deps: FaceDeps): Face => createFace(classic, deps)
