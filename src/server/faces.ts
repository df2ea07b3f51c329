import { classicStyle } from './classic.ts'
import { v1Style } from './v1.ts'
import type { Style } from './variant.ts'
import type { Face } from './wire.ts'

const V1 = /^\/v1(?:[/?]|$)/i

/** How to talk to whoever asked for a target: what is below `/v1` is the newer variant's, everything else the classic one's. */
export const styleFor = (target: string): Style => (V1.test(target) ? v1Style : classicStyle)

/** Both variants side by side. */
export const bothFaces =
  (classic: Face, v1: Face): Face =>
  (request) =>
    styleFor(request.target) === v1Style ? v1(request) : classic(request)
