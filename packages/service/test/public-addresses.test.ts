import { describe, expect, test } from 'vitest'
import { isPrivateLiteral, isPublicAddress } from '../src/http/public-addresses.ts'

describe('an address', () => {
  test.each([
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.31.255.255'],
    ...['192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1'],
    ...['fc00::1', 'fd00:ec2::254', 'ff02::1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '2001:db8::1'],
    ...['2002:a00:1::', '64:ff9b::a00:1', 'no address', ''],
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each(['8.8.8.8', '172.32.0.1', '140.82.112.3', '2606:50c0:8000::153', '2a00:1450::1'])(
    '%s is public',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )

  test('is private as a literal of a URL, and a name is not judged before it is looked up', () => {
    expect(['127.0.0.1', '[::1]', '[fd00::1]'].every(isPrivateLiteral)).toBe(true)
    const others = ['8.8.8.8', 'localhost', 'ci.example', '[2606:50c0::1]']
    expect(others.some(isPrivateLiteral)).toBe(false)
  })
})
