/** Why PostgreSQL does not do its work, in one line for the operator: what happened and what to do. */

import { tlsReason } from '../http/ask.ts'
import {
  ConnectionLost,
  NoAnswer,
  NoConnection,
  NoneFree,
  NoPassword,
  OtherServer,
} from './postgres-error.ts'
import { type PostgresSettings, placeOf } from './settings.ts'

const checkAddress = 'Check that it runs, and the host and port.'
const askAgain = 'It comes back by itself.'

/** By the code of the system or of PostgreSQL. */
const reasons: Readonly<Record<string, (settings: PostgresSettings) => string>> = {
  ECONNREFUSED: () => `nothing listens there. ${checkAddress}`,
  ENOENT: () => `there is no such socket. ${checkAddress}`,
  EACCES: () => 'this user may not use the socket. Check the rights of its folder.',
  ENOTFOUND: () => 'the host name is not known. Check the host.',
  EAI_AGAIN: () => 'the host name cannot be looked up now. Check the DNS of this machine.',
  EHOSTUNREACH: () => `the host cannot be reached. ${checkAddress}`,
  ENETUNREACH: () => `the host cannot be reached. ${checkAddress}`,
  ETIMEDOUT: () => `it does not answer. ${checkAddress}`,
  ECONNRESET: () => 'the connection broke. Look into the log of the server.',
  EPIPE: () => 'the connection broke. Look into the log of the server.',
  '28P01': ({ user }) => `the password for ${user} is wrong. Check it where it is set.`,
  '28000': () =>
    'the server does not let this user in from here in this way. Check pg_hba.conf, and whether it asks for TLS (sslmode=require) or a client certificate.',
  '3D000': ({ database }) =>
    `there is no database ${database}. Create it, or check the name; if it was dropped, restore a backup.`,
  '42501': ({ user }) => `the role ${user} lacks a right. Grant it as the documentation lists.`,
  // PostgreSQL looks past a schema that the role may not use.
  '42P01': ({ user }) =>
    `a table is missing, or the role ${user} may not use its schema. Run \`latchkey migrate\`, or grant the rights as the documentation lists.`,
  '3F000': () => 'its schema is missing. Run `latchkey migrate`, or restore a backup.',
  '53300': () =>
    'the server has no connection left. Raise max_connections, or give the processes smaller pools.',
  '53100': () => 'its disk is full. Free some space there.',
  '53200': () => 'it is out of memory. Look into the log of the server.',
  '25006': () => 'it is a read-only replica, or set to read only. Name the primary in the address.',
  '25P03': () => 'this process stood still in the middle of a transaction, which was ended.',
  '57014': () => 'a statement took too long. Look for load or locks in pg_stat_activity.',
  '55P03': () => 'another transaction holds a lock for too long. Look into pg_stat_activity.',
  '40001': () => 'other transactions were in the way. Try again.',
  '40P01': () => 'other transactions were in the way. Try again.',
  '57P01': () => `it is shutting down, or an administrator ended the connection. ${askAgain}`,
  '57P02': () => `one of its processes crashed. ${askAgain}`,
  '57P03': () => `it is starting or shutting down. ${askAgain}`,
  '57P04': ({ database }) =>
    `the database ${database} was dropped. Restore a backup, or check who dropped it.`,
}

export function explainPostgres(error: unknown, settings: PostgresSettings): string {
  return `PostgreSQL (${placeOf(settings)}): ${reasonOf(error, settings)}`
}

function reasonOf(error: unknown, settings: PostgresSettings): string {
  if (error instanceof NoConnection || error instanceof ConnectionLost) {
    return reasonOf(error.reason, settings)
  }
  if (error instanceof OtherServer || error instanceof NoneFree) return error.message
  if (error instanceof NoPassword) {
    return 'it asks for a password and there is none. Set PGPASSWORD, or write it into ~/.pgpass or the file that PGPASSFILE names (mode 0600).'
  }
  const code = firstCode(error)
  const reason = code !== undefined && Object.hasOwn(reasons, code) ? reasons[code] : undefined
  if (reason !== undefined) return reason(settings)
  return certificateReason(code) ?? messageReason(error)
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** A host name with several addresses fails with all their errors together. */
function firstCode(error: unknown): string | undefined {
  if (error instanceof AggregateError && codeOf(error) === undefined) return codeOf(error.errors[0])
  return codeOf(error)
}

function certificateReason(code: string | undefined): string | undefined {
  return tlsReason(code)?.replaceAll('--ca-cert', 'sslrootcert')
}

function messageReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (/does not support SSL/.test(message)) {
    return 'it does not offer TLS, and sslmode asks for it. Turn ssl on at the server, or choose sslmode=prefer.'
  }
  if (error instanceof NoAnswer || /timeout/i.test(message)) {
    return `it does not answer. ${checkAddress}`
  }
  if (/^Connection terminated|not queryable/.test(message)) {
    return 'the connection broke. Look into the log of the server.'
  }
  return message.replace(/\s+/g, ' ')
}
