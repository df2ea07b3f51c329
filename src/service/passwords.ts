import { randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'

const KEY_BYTES = 32
const SALT_BYTES = 16
const derive = promisify<string, Buffer, number, Buffer>(scrypt)

/** The hash that is kept of a password: `scrypt$salt$key`, both in base64. */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(SALT_BYTES)
  const key = await derive(password, salt, KEY_BYTES)
  return `scrypt$${salt.toString('base64')}$${key.toString('base64')}`
}
