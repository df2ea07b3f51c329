import type { Face } from './wire.ts'

/** Returns a face that knows the URL below which its clients reach it: documents and Location headers name that one. */
export const underPublicUrl = (face: Face, publicUrl: string): Face => {
  const { origin: publicOrigin } = new URL(publicUrl)
  return async (request) => {
    const response = await face({ ...request, publicOrigin, serviceUrl: publicUrl })
    const location = response.headers['location']
    if (!location?.startsWith('/')) return response
    return { ...response, headers: { ...response.headers, location: publicUrl + location } }
  }
}
