import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { basic } from './classic.ts'
import type { Service } from './service.ts'

/** A connection to a server on this machine, gone with the test. */
export const dial = async (url: string): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  // Whoever writes or reads is told; nobody else need be.
  socket.on('error', () => undefined)
  onTestFinished(() => {
    socket.destroy()
  })
  await once(socket, 'connect')
  return socket
}

/** The start of a request as it goes over the wire, with the credentials of a service. */
export const head = ({ login, token }: Service, line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: localhost', `Authorization: ${basic(login, token)}`, ...headers, '', ''].join('\r\n')

/** Sends everything, then reads until the other side has ended: the plainest of clients. */
export const sendThenRead = async (url: string, ...parts: readonly (string | Uint8Array)[]): Promise<string> => {
  const socket = await dial(url)
  for (const part of parts) {
    await new Promise<void>((resolve, reject) => {
      socket.write(part, (error) => {
        if (error) reject(error)
        else resolve()
      })
    })
  }
  let text = ''
  for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString('latin1')
  return text
}
