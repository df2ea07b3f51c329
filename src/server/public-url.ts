import type { Face } from './wire.ts'

/** A face whose Location headers are whole URLs, below the one at which its clients reach it. */
export const underPublicUrl =
  (face: Face, publicUrl: string): Face =>
  async (request) => {
    const response = await face(request)
    const location = response.headers['location']
    if (!location?.startsWith('/')) return response
    return { ...response, headers: { ...response.headers, location: publicUrl + location } }
  }
