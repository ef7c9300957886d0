/** When a connection is encrypted and whose certificate is believed: libpq's `sslmode`. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectionOptions } from 'node:tls'
import type { OptionTypes } from '@latchkey/protocol'
import { CannotStart } from '../machine/errors.ts'

export const tlsModes = [
  'disable',
  'allow',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
] as const

export type TlsMode = (typeof tlsModes)[number]

/** Data alone, so that another process can be given them. */
export interface TlsSettings {
  readonly mode: TlsMode
  /** For the attempts that are encrypted. */
  readonly options: TlsOptions
}

interface TlsOptions {
  readonly rejectUnauthorized?: boolean
  /** The certificate may be for another host name. */
  readonly anyName?: boolean
  readonly ca?: string | readonly string[]
  readonly crl?: string
  readonly cert?: string
  readonly key?: string
}

export const tlsTypes: OptionTypes<TlsSettings> = {
  mode: 'string',
  options: {
    ...{ rejectUnauthorized: 'boolean', anyName: 'boolean', ca: 'string|object' },
    ...{ crl: 'string', cert: 'string', key: 'string' },
  },
}

/** In the words of Node. */
export function connectionOptions({ options }: TlsSettings): ConnectionOptions {
  const { anyName = false, ca, ...rest } = options
  return {
    ...rest,
    ...(ca !== undefined && { ca: typeof ca === 'string' ? ca : [...ca] }),
    ...(anyName && { checkServerIdentity: () => undefined }),
  }
}

type Find = (name: 'sslmode' | 'sslrootcert' | 'sslcert' | 'sslkey') => string | undefined

export function readTls(
  find: Find,
  { host, home }: { readonly host: string; readonly home: string },
): TlsSettings {
  // libpq: a Unix socket is never encrypted, whatever the mode.
  if (host.startsWith('/')) return { mode: 'disable', options: {} }
  const mode = readMode(find)
  if (mode === 'disable') return { mode, options: {} }
  const folder = join(home, '.postgresql')
  return { mode, options: { ...trust(mode, find, folder), ...ownCertificate(find, folder) } }
}

function readMode(find: Find): TlsMode {
  const text = find('sslmode') ?? (find('sslrootcert') === 'system' ? 'verify-full' : 'prefer')
  const mode = tlsModes.find((tlsMode) => tlsMode === text)
  if (mode !== undefined) return mode
  throw new CannotStart(`sslmode=${text} is not known. Known are ${tlsModes.join(', ')}.`)
}

function trust(mode: TlsMode, find: Find, folder: string): TlsOptions {
  const named = find('sslrootcert')
  if (named === 'system') return systemTrust(mode)
  const file = named ?? join(folder, 'root.crt')
  const verifies = mode.startsWith('verify-')
  // libpq: `require` verifies like `verify-ca` where there is a root certificate.
  if (!verifies && !(mode === 'require' && (named !== undefined || existsSync(file)))) {
    return { rejectUnauthorized: false }
  }
  return {
    rejectUnauthorized: true,
    ca: certificateFile('sslrootcert', file),
    ...revoked(folder),
    anyName: mode !== 'verify-full',
  }
}

function systemTrust(mode: TlsMode): TlsOptions {
  // An import would load TLS into every hub, also into one on a file.
  const { getCACertificates } = process.getBuiltinModule('node:tls')
  if (mode === 'verify-full') return { rejectUnauthorized: true, ca: getCACertificates('system') }
  // A public issuer certifies any host, so its signature alone proves nothing.
  throw new CannotStart(`sslrootcert=system needs sslmode=verify-full, not ${mode}.`)
}

function revoked(folder: string): TlsOptions {
  const file = join(folder, 'root.crl')
  return existsSync(file) ? { crl: certificateFile('root.crl', file) } : {}
}

function ownCertificate(find: Find, folder: string): TlsOptions {
  const certificate = find('sslcert') ?? join(folder, 'postgresql.crt')
  if (find('sslcert') === undefined && !existsSync(certificate)) return {}
  return {
    cert: certificateFile('sslcert', certificate),
    key: certificateFile('sslkey', find('sslkey') ?? join(folder, 'postgresql.key')),
  }
}

function certificateFile(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new CannotStart(
      `the file ${file} (${name}) for the connection to the database cannot be read: ${code}. Check that it exists and that this user may read it.`,
    )
  }
}
