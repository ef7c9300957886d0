/** A blob URL leads no nearer to this machine than the storage that named it. */

import { isIP } from 'node:net'
import { describe, expect, it } from 'vitest'
import { blobTarget } from '../../src/blob/blob-target.ts'
import { reachOf } from '../../src/blob/reach.ts'

/** What the names of these tests mean; an address means itself. */
const names: Readonly<Record<string, readonly string[]>> = {
  'cas.example': ['192.0.2.10'],
  'cdn.example': ['192.0.2.20', '2001:db8::20'],
  'cas.corp': ['10.0.0.5'],
  'minio.corp': ['10.0.0.6'],
  'near.example': ['192.0.2.30', '127.0.0.1'],
  'both.example': ['127.0.0.1', '192.0.2.40'],
  localhost: ['127.0.0.1', '::1'],
  'x.localhost': ['127.0.0.1'],
}

async function lookUp(hostname: string) {
  const addresses = isIP(hostname) === 0 ? (names[hostname] ?? []) : [hostname]
  return addresses.map((address) => ({ address, family: isIP(address) }))
}

const open = (url: string, storage: string) => blobTarget(url, storage, lookUp)

const onThisMachine = [
  'https://127.0.0.1/x',
  'https://127.8.9.1:8443/x',
  'https://2130706433/x',
  'https://0x7f.1/x',
  'https://0.0.0.0/x',
  'https://[::1]/x',
  'https://[::]/x',
  'https://[::ffff:127.0.0.1]/x',
  'https://[64:ff9b::127.0.0.1]/x',
  'https://localhost/x',
  'https://localhost./x',
  'https://x.localhost/x',
  'https://169.254.169.254/latest/meta-data',
  'https://[fd00:ec2::254]/latest/meta-data',
  'https://100.100.100.200/latest/meta-data',
  'https://168.63.129.16/machine',
  'https://[fe80::1]/x',
  'https://near.example/x',
]

const inPrivateNetworks = [
  'https://10.1.2.3/x',
  'https://172.16.0.1/x',
  'https://172.31.255.255/x',
  'https://192.168.1.1/x',
  'https://100.64.0.1/x',
  'https://[fd00::1]/x',
  'https://[::ffff:10.0.0.1]/x',
  'https://minio.corp/x',
]

describe('is not opened', () => {
  // conformance: Attacks / 43. An attacker directs a blob URL to another origin or a private network
  it.each([...onThisMachine, ...inPrivateNetworks])('from a public storage: %s', async (url) => {
    await expect(open(url, 'https://cas.example')).rejects.toMatchObject({
      name: 'IntegrityError',
      message: expect.stringContaining('on this machine or in a private network'),
    })
  })

  // conformance: Attacks / 43. An attacker directs a blob URL to another origin or a private network
  it.each(onThisMachine)('from a storage in a private network: %s', async (url) => {
    for (const storage of ['https://cas.corp', 'https://10.0.0.5']) {
      await expect(open(url, storage)).rejects.toMatchObject({ name: 'IntegrityError' })
    }
  })

  it('from a storage of which only one address is near', async () => {
    const opened = open('https://127.0.0.1/x', 'https://both.example')
    await expect(opened).rejects.toMatchObject({ name: 'IntegrityError' })
  })

  it.each([
    ['http://cdn.example/x', 'begins with http: where https: was expected'],
    ['http://cas.example/x', 'begins with http: where https: was expected'],
    ['file:///etc/passwd', 'begins with file: where https: was expected'],
    ['data:,x', 'begins with data: where https: was expected'],
    ['https://me:secret@cdn.example/x', 'with a password in it'],
    ['/relative', 'no URL'],
  ])('from an https storage: %s', async (url, message) => {
    await expect(open(url, 'https://cas.example')).rejects.toMatchObject({
      name: 'IntegrityError',
      message: expect.stringContaining(message),
    })
  })
})

describe('is opened', () => {
  it.each([
    ['https://cas.example/blob', 'https://cas.example/r/1'],
    ['https://cdn.example/blob', 'https://cas.example'],
    ['https://cas.corp/blob', 'https://cas.corp'],
    ['https://minio.corp/blob', 'https://cas.corp'],
    ['http://10.0.0.6:9000/blob', 'http://cas.corp'],
    ['http://127.0.0.1:8081/blob', 'http://127.0.0.1:8081'],
    ['http://127.0.0.1:9000/blob', 'http://localhost:8081'],
    ['https://cdn.example/blob', 'http://127.0.0.1:8081'],
  ])('%s of the storage %s', async (url, storage) => {
    expect((await open(url, storage)).url.href).toBe(url)
  })

  // conformance: Attacks / 43. An attacker directs a blob URL to another origin or a private network
  it('at the addresses that were judged', async () => {
    const { addresses } = await open('https://cdn.example/x', 'https://cas.example')
    expect(addresses.map(({ address }) => address)).toEqual(names['cdn.example'])
  })

  it('at an IPv6 address, which has no brackets outside of its URL', async () => {
    const { host, addresses } = await open('http://[::1]:9000/x', 'http://[::1]:8081')
    expect([host, addresses]).toEqual(['::1', [{ address: '::1', family: 6 }]])
  })
})

it.each([
  ['192.0.2.1', 0],
  ['11.0.0.1', 0],
  ['172.32.0.1', 0],
  ['2001:db8::1', 0],
  ['example.com', 0],
  ['240.0.0.1', 1],
  ['fe80::1%eth0', 2],
])('%s has the reach %i', (host, reach) => {
  expect(reachOf(host)).toBe(reach)
})
