import { expect, it } from 'vitest'
import { payerOf } from '../../src/request/payer.ts'

// conformance: Attacks / 37. An attacker uses many repositories to take the capacity of others
it('an anonymous request is charged to the network it comes from, any other to its account', () => {
  const grant = (subject: string) => ({ subject, repositoryUid: 'r' }) as never
  expect(payerOf(grant('ada'), '192.0.2.1')).toEqual({ account: 'ada', repositoryUid: 'r' })
  const accounts = ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2'].map(
    (address) => payerOf(grant('anonymous'), address).account,
  )
  expect(new Set(accounts).size).toBe(3)
})
