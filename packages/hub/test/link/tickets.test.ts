import { Secret, unixSeconds } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { describe, expect, it } from 'vitest'
import { tickets } from '../../src/link/tickets.ts'

const keyOf = (byte: number) => new Secret('master-key', Buffer.alloc(32, byte).toString('base64'))
const session = new Secret('hub-token', 'lks_somebody')
const now = unixSeconds(1_800_000_000)
const { make, read } = tickets(keyOf(1), pooledRandom())

describe('tickets', () => {
  it('are read by every hub with the same master key for less than 60 seconds', () => {
    const other = tickets(keyOf(1), pooledRandom())
    const ticket = make(session, now)
    expect(other.read(ticket, unixSeconds(now + 59))?.reveal()).toBe('lks_somebody')
    expect(other.read(ticket, unixSeconds(now + 60))).toBeUndefined()
  })

  it('hide the session', () => {
    expect(Buffer.from(make(session, now), 'base64url').toString('latin1')).not.toContain('lks_')
  })

  it('are refused when they were altered, are of another directory, or come from the future', () => {
    const ticket = make(session, now)
    expect(read(`A${ticket.slice(1)}B`, now)).toBeUndefined()
    expect(read('', now)).toBeUndefined()
    expect(tickets(keyOf(2), pooledRandom()).read(ticket, now)).toBeUndefined()
    expect(read(make(session, unixSeconds(now + 3600)), now)).toBeUndefined()
  })
})
