import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { clientAddress, networkOf } from '../src/http/addresses.ts'

function from(remoteAddress: string, forwardedFor?: string): IncomingMessage {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage
}

describe('the address of a client', () => {
  const address = clientAddress(['10.0.0.0/8', '::1'])

  test('is the one it connects from, whatever it says', () => {
    expect(address(from('192.0.2.1', '198.51.100.7'))).toBe('192.0.2.1')
  })

  test('is the first before the proxies that are trusted', () => {
    expect(address(from('10.0.0.1', '203.0.113.9, 198.51.100.7, 10.1.2.3'))).toBe('198.51.100.7')
  })

  test("is a trusted proxy's own when it tells nothing that can be read", () => {
    expect(address(from('10.0.0.1'))).toBe('10.0.0.1')
    expect(address(from('10.0.0.1', 'somebody'))).toBe('10.0.0.1')
  })

  test('is whole for IPv6, and IPv4 when it is that in disguise', () => {
    expect(address(from('::1', '2001:db8:1:2:3:4:5:6'))).toBe('2001:db8:1:2:3:4:5:6')
    expect(address(from('::ffff:192.0.2.1'))).toBe('192.0.2.1')
  })
})

test('a network is an IPv4 address, or the /64 of an IPv6 one', () => {
  expect(networkOf('192.0.2.1')).toBe('192.0.2.1')
  expect(networkOf('::ffff:192.0.2.1')).toBe('192.0.2.1')
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
  expect(networkOf('2001:db8::1')).toBe('2001:db8:0:0::/64')
  expect(networkOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
})
