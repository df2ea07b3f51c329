import { generate } from 'selfsigned'

/** A certificate of this machine and its key, both as PEM. */
export type Pair = { readonly cert: string; readonly key: string }

const DAY_MS = 86_400_000

/** Makes a certificate for a name, valid from ten days ago for some days more, and signed by itself. */
export const makePair = async (name = 'localhost', days = 30, now = Date.now()): Promise<Pair> => {
  const notBeforeDate = new Date(now - 10 * DAY_MS)
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    notBeforeDate,
    notAfterDate: new Date(now + days * DAY_MS),
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: name },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  })
  return { cert, key }
}
