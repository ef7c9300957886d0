/** Tickets stand for the session of a browser at the forge: sealed, so that the forge never sees the session. */

import { hkdfSync } from 'node:crypto'
import { Secret, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import type { RandomBytes } from '@latchkey/service/machine/random'
import { seal, unseal } from '@latchkey/service/machine/seal'
import type { MasterKey } from '../keys/master-key.ts'

export interface Tickets {
  make(session: Secret<'hub-token'>, now: UnixSeconds): string
  /** The secret of the session. Undefined for a ticket that is over, was altered, or is of another directory. */
  read(ticket: string, now: UnixSeconds): Secret<'hub-token'> | undefined
}

const ticketSeconds = 60
/** The end of the ticket comes before the secret. */
const endLength = 6

/** Every hub of a directory reads the tickets of the others. */
export function tickets(masterKey: MasterKey, randomBytes: RandomBytes): Tickets {
  const key = new Uint8Array(hkdfSync('sha256', masterKey.reveal(), '', 'latchkey tickets', 32))
  return {
    make(session, now) {
      const end = Buffer.alloc(endLength)
      end.writeUIntBE(now + ticketSeconds, 0, endLength)
      const content = Buffer.concat([end, Buffer.from(session.reveal())])
      return seal(content, { key }, randomBytes).toString('base64url')
    },
    read(ticket, now) {
      const content = unseal(Buffer.from(ticket, 'base64url'), { key })
      if (content === undefined) return undefined
      const end = unixSeconds(content.readUIntBE(0, endLength))
      // A hub whose clock is ahead must not lengthen its tickets.
      if (now >= end || end > now + ticketSeconds) return undefined
      return new Secret('hub-token', content.toString('utf8', endLength))
    },
  }
}
