import { createHash, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'

const KEY_BYTES = 32
const SALT_BYTES = 16
const derive = promisify<string, Buffer, number, Buffer>(scrypt)

/** Returns the stored hash of a password: `scrypt$salt$key`, both in base64. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(SALT_BYTES)
  const key = await derive(password, salt, KEY_BYTES)
  return `scrypt$${salt.toString('base64')}$${key.toString('base64')}`
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHECK_DIGITS = 6
const RANDOM_BYTES = 24
const RANDOM_DIGITS = 33
const FORM = /^(kpi_[a-z]+_[0-9A-Za-z]{22,})_([0-9A-Za-z]{6})$/

/** Returns cryptographically random bytes. */
export type Random = (bytes: number) => Uint8Array

const base62 = (value: bigint, digits: number): string => {
  let text = ''
  for (let rest = value; text.length < digits; rest /= 62n) text = (ALPHABET[Number(rest % 62n)] ?? '') + text
  return text
}

const checksum = (text: string): string => base62(BigInt(crc32(text)), CHECK_DIGITS)

/** Creates a new secret of a kind: `kpi_<kind>_<random>_<checksum>`. */
export const makeSecret = (kind: 'token' | 'key', random: Random): string => {
  const bytes = Buffer.from(random(RANDOM_BYTES))
  const body = `kpi_${kind}_${base62(BigInt(`0x${bytes.toString('hex')}`), RANDOM_DIGITS)}`
  return `${body}_${checksum(body)}`
}

/** Tells whether a text has the form and checksum of a secret, so that mistyped ones need no query to the store. */
export const isWellFormed = (secret: string): boolean => {
  const match = FORM.exec(secret)
  return match?.[1] !== undefined && checksum(match[1]) === match[2]
}

/** Returns the stored hash of a secret. A fast hash is enough, as the secret has too many random bits to guess. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')
