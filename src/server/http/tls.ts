import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { KpiError } from '../../domain/errors.ts'

/** Holds a certificate chain and its private key, both as PEM. */
export type TlsPair = { readonly cert: string; readonly key: string }

const tlsError = (message: string, cause?: unknown): KpiError => new KpiError('unusable', message, { cause })

const readCertificate = (pem: string): X509Certificate => {
  try {
    return new X509Certificate(pem)
  } catch (error) {
    throw tlsError('the certificate is not one that can be read; it must be PEM, -----BEGIN CERTIFICATE-----', error)
  }
}

const readKey = (pem: string): KeyObject => {
  try {
    return createPrivateKey(pem)
  } catch (error) {
    throw tlsError('the private key is not one that can be read; it must be PEM, without a passphrase', error)
  }
}

const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)

const requireValidity = ({ validFrom, validTo }: X509Certificate, now: number): void => {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)]
  if (now > to) throw tlsError(`the certificate expired on ${dayOf(to)}; renew it`)
  if (now < from) throw tlsError(`the certificate is not valid before ${dayOf(from)}; check the clock`)
}

/** Refuses an unusable certificate and key: unreadable, not a pair, or not valid at `now`. */
export const checkPair = ({ cert, key }: TlsPair, now: number): { readonly validTo: number } => {
  const [certificate, privateKey] = [readCertificate(cert), readKey(key)]
  if (!certificate.checkPrivateKey(privateKey)) throw tlsError('the private key is not that of the certificate')
  requireValidity(certificate, now)
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw tlsError(`the certificate cannot be served with: ${error instanceof Error ? error.message : ''}`, error)
  }
  return { validTo: Date.parse(certificate.validTo) }
}
