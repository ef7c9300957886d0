/** Makes this process trust the certificate that `--ca-cert` names, beside those it trusts already. */

import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { quoteGiven } from '@latchkey/service/text'
import { cannotRead } from '../output/cannot-read.ts'
import { unavailable, wrongUsage } from '../output/stop.ts'
import type { Configuration } from './read-configuration.ts'

/** Before the first connection: all that connect afterwards obey it. No certificate is trusted any less. */
export function trustCaCert({ values, called }: Configuration): void {
  const { caCert } = values
  if (caCert !== undefined) trustCertificates(caCert, called.get('caCert') ?? '--ca-cert')
}

/** For threads, which have the certificates of the system alone. */
export function caCertificates({ values, called }: Configuration): readonly string[] | undefined {
  const { caCert } = values
  if (caCert === undefined) return undefined
  return certificatesIn(caCert, called.get('caCert') ?? '--ca-cert')
}

/** Adds the certificates of the file. Messages name the option as `name`. */
export function trustCertificates(file: string, name: string): void {
  trustPem(certificatesIn(file, name), name)
}

export function trustPem(certificates: readonly string[], name: string): void {
  // Loaded here, because it takes 15 ms that most starts need not wait for.
  const tls = process.getBuiltinModule('node:tls')
  // Node 24 before 24.5 has no such function, whatever its types say.
  if (tls.setDefaultCACertificates === undefined) throw tooOld(name)
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...certificates])
}

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

function certificatesIn(file: string, name: string): readonly string[] {
  const blocks = textOf(file).match(pemBlock) ?? []
  if (blocks.length > 0 && blocks.every(isCertificate)) return blocks
  throw wrongUsage(
    `${name}: ${quoteGiven(file)} is no certificate; give a PEM file, which begins with -----BEGIN CERTIFICATE----- (openssl x509 -inform der makes one of a DER file)`,
  )
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch (error) {
    throw cannotRead(file, error)
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).serialNumber !== ''
  } catch {
    return false
  }
}

function tooOld(name: string) {
  return unavailable(
    `${name} needs Node 24.5 or newer, and this is ${process.version}; name the file in NODE_EXTRA_CA_CERTS instead`,
  )
}
