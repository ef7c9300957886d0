import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { rounds } from '@latchkey/testing/chance'
import { latchkeyBin, latchkeySources } from '@latchkey/testing/machine/latchkey-bin'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { clientWorld, target } from './client-world.ts'
import { end, latchkey, ready, start, temporaryDirectory } from './run-latchkey.ts'

const world = clientWorld((_, response) => response.end('data'))
const neededByClients = [
  'cli',
  'client',
  'admin-api',
  'admin-client',
  'protocol',
  'service',
  'commander',
]
/** Those that say no more than the others of their table are asked in a soak. */
const ofSoak = <Row>(rows: readonly Row[]): readonly Row[] => rows.slice(0, rounds(0, rows.length))
const recorder = new URL('record-loads.ts', import.meta.url).href

interface Asked {
  readonly bin?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** By name: `prom-client`, `gate`; `hub` is one that listens, `directory` the verbs and the store alone. */
async function packagesLoadedBy(
  args: readonly string[],
  { env, input = '', bin = latchkeyBin }: Asked = {},
) {
  const cwd = world.home()
  const file = join(cwd, 'loads')
  const ended = await latchkey(args, {
    cwd,
    input,
    bin,
    env: { ...env, LOADS_FILE: file, NODE_OPTIONS: `--import=${recorder}` },
  })
  const urls = readFileSync(file, 'utf8').split('\n')
  const bundled = urls.filter((url) => inBundle.test(url))
  expect(bundled.length > 0).toBe(bin === latchkeyBin)
  const modules = urls.flatMap((url) => (inBundle.test(url) ? modulesIn(url) : url))
  const packages = new Set(modules.flatMap(packageOf))
  const outside = urls.filter((url) => url.includes('/node_modules/'))
  return { ...ended, urls, bundled, outside, modules, packages }
}

const inBundle = /\/packages\/cli\/dist\/\w+\/dist\/command\//

/** Of a file of the bundle: the sources that it is made of. */
function modulesIn(url: string): readonly string[] {
  const all: Record<string, readonly string[]> = JSON.parse(
    readFileSync(new URL('../../modules.json', url), 'utf8'),
  )
  const own = all[basename(url)]
  if (own === undefined) throw new Error(`it is not known what ${url} is made of`)
  return own
}

function packageOf(url: string): string[] {
  const [, installed] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  const [, own, path] = /\/packages\/([\w-]+)\/(.*)/.exec(url) ?? []
  if (installed !== undefined) return [installed]
  if (own === 'storage' && path?.startsWith('src/bounds/') === true) return []
  if (own !== 'hub') return own === undefined ? [] : [own]
  return [path === 'src/start/start-hub.ts' ? 'hub' : 'directory']
}

describe.concurrent("a client's command loads neither the hub nor the gate, nor what they need", () => {
  const signedIn = () => ({ LATCHKEY_HUB: world.hub, LATCHKEY_HUB_TOKEN: world.tokenOf('laptop') })
  const typed = () => ({ input: `${world.tokenOf('laptop')}\n`, env: { LATCHKEY_HUB: world.hub } })
  const cases: readonly [readonly string[], () => Asked][] = [
    [['token', 'read', target], () => ({ env: signedIn() })],
    [['login', '--token'], typed],
    ...ofSoak<[readonly string[], () => Asked]>([
      [['fetch', target, '/v1/x'], () => ({ env: signedIn() })],
      [['whoami'], () => ({ env: signedIn() })],
      [['logout'], () => ({ env: { LATCHKEY_HUB: world.hub } })],
      [['completion', '--help'], () => ({})],
    ]),
  ]

  it.each(cases)('latchkey %j', async (args, asked) => {
    const { code, packages } = await packagesLoadedBy(args, asked())
    expect(code).toBe(0)
    expect(packages).toContain('cli')
    expect([...packages].filter((name) => !neededByClients.includes(name))).toEqual([])
  })
})

it.each([
  ['upload', ['upload', target, '-']],
  ['download', ['download', target, 'a'.repeat(64)]],
])(
  'latchkey %s loads of the storage what cuts and packs, and nothing that serves',
  async (_, args) => {
    const env = { LATCHKEY_HUB: world.hub, LATCHKEY_HUB_TOKEN: world.tokenOf('laptop') }
    const { stderr, packages } = await packagesLoadedBy(args, { env, input: 'x' })
    // It got as far as the storage's answer, which is nonsense here.
    expect(stderr).toMatch(
      /^latchkey: the storage (?:sent a shard that cannot be read|tells in no)/,
    )
    const needed = [...neededByClients, 'xet']
    const native = /^(?:@napi-rs\/blake-hash|lz4-napi|@antoniomuso\/lz4-napi)/
    const others = [...packages].filter((name) => !needed.includes(name) && !native.test(name))
    expect(others).toEqual([])
  },
)

it.each(['--help', ...ofSoak(['--version', 'help'])])(
  'latchkey %s loads no command',
  async (word) => {
    const { code, modules, outside, packages } = await packagesLoadedBy([word])
    expect(code).toBe(0)
    expect(outside).toEqual([])
    expect([...packages].filter((name) => !neededByClients.includes(name))).toEqual([])
    expect(modules.join('\n')).toContain('/cli/src/program.ts')
    expect(modules.filter((one) => one.includes('/cli/src/commands/'))).toEqual([])
  },
)

describe.concurrent('a management command with --hub loads neither the hub nor a database', () => {
  const account = JSON.stringify({ accounts: [{ name: 'ada' }] })
  const explain = ['explain', 'token', 'read', target, '--as', 'ada']
  const cases: readonly [readonly string[], string][] = [
    [['account', 'list'], ''],
    [['apply', '-'], account],
    ...ofSoak<[readonly string[], string]>([
      [['changes', '--limit', '1'], ''],
      [explain, ''],
      [['member', 'set', 'acme', 'ada', 'admin'], ''],
    ]),
  ]
  const needed = [...neededByClients, 'zod', 'picocolors']

  it.each(cases)('latchkey %j --hub', async (args, input) => {
    const env = { LATCHKEY_HUB_TOKEN: world.tokenOf('admin') }
    const asked = await packagesLoadedBy([...args, '--hub', world.hub], { env, input })
    expect(asked).toMatchObject({ code: 0, stderr: expect.not.stringContaining('latchkey:') })
    expect(asked.packages).toContain('admin-api')
    expect([...asked.packages].filter((name) => !needed.includes(name))).toEqual([])
  })

  it.each([['explain', 'token'], ...ofSoak([['account'], ['apply']])])(
    'latchkey %s --help',
    async (...words) => {
      const { code, packages } = await packagesLoadedBy([...words, '--help'])
      expect(code).toBe(0)
      expect([...packages].filter((name) => !needed.includes(name))).toEqual([])
    },
  )
})

it('a verb loads the directory, and nothing that serves, and compiles no schema', async () => {
  const { code, urls, outside, packages } = await packagesLoadedBy(['account', 'create', 'ada'])
  expect(code).toBe(0)
  expect(outside).toEqual([])
  expect([...packages]).toEqual(expect.arrayContaining(['directory', 'kysely', 'zod']))
  for (const name of ['hub', 'prom-client']) expect([...packages]).not.toContain(name)
  expect(urls.filter((url) => url === 'compiled:')).toEqual([])
})

/** It gets as far as its listener, for which this machine does not have the address. */
const serveNowhere = ['serve', '--host', '192.0.2.1', '--no-storage'].concat(
  ['--public-url', 'https://hub.example'],
  ['--cas-url', 'https://cas.example'],
)

it('a hub with a wrong option does not load the hub, where it is not in one file with its options', async () => {
  const asked = { bin: latchkeySources }
  const { code, packages } = await packagesLoadedBy(['serve', '--port', 'x'], asked)
  expect(code).toBe(2)
  expect([...packages]).toContain('cli')
  expect([...packages]).not.toContain('hub')
})

describe('a hub on a file', () => {
  let loaded: Awaited<ReturnType<typeof packagesLoadedBy>>
  beforeAll(async () => {
    loaded = await packagesLoadedBy(serveNowhere)
    expect(loaded.code).toBe(3)
  })

  it('has neither the driver of PostgreSQL in memory, nor native code, nor the demo', () => {
    const { modules, packages } = loaded
    // So this file can tell who loads them.
    expect([...packages]).toEqual(expect.arrayContaining(['hub', 'prom-client', 'kysely']))
    const unneeded = ['pg', 'pg-pool', 'xet', 'gate', 'lz4-napi', '@napi-rs/blake-hash']
    expect(unneeded.filter((name) => packages.has(name))).toEqual([])
    expect(modules.filter((one) => one.includes('/cli/src/demo/'))).toEqual([])
    expect(loaded.outside).toEqual([])
  })

  it('starts without the modules of Node that take long to load and are not needed', () => {
    const { urls } = loaded
    expect(urls).toEqual(expect.arrayContaining(['node:http', 'node:sqlite']))
    const unneeded = ['node:tls', 'node:https', 'node:zlib', 'node:http2', 'node:inspector']
    expect(urls.filter((url) => unneeded.includes(url))).toEqual([])
  })

  it('comes from files that keep a byte for each character', () => {
    const folder = new URL('.', loaded.bundled[0])
    const names = readdirSync(folder).filter((name) => name.endsWith('.js'))
    expect(names.length).toBeGreaterThan(10)
    // V8 keeps two bytes for each character of a text, once one of them is not ASCII.
    const isLong = (name: string) => readFileSync(new URL(name, folder)).some((byte) => byte > 127)
    expect(names.filter(isLong)).toEqual([])
  })
})

const fetchOfNode = 'node:internal/deps/undici/undici'
const noHub = ['--hub', 'http://127.0.0.1:9', '--cas-url', 'http://127.0.0.1:8081/r/{repo}/{ref}']

it.each([
  ['storage', ['storage', 'serve', '--port', '0', ...noHub], [fetchOfNode, 'node:tls']],
  [
    'gate',
    ['gate', '--port', '0', '--upstream', 'http://127.0.0.1:9/{repo}/{ref}', ...noHub],
    [fetchOfNode],
  ],
  ...ofSoak<[string, string[], string[]]>([
    [
      'gate beside a proxy',
      ['gate', '--port', '0', '--forward-auth', 'nginx', ...noHub],
      [fetchOfNode],
    ],
  ]),
])('a %s asks a hub on this machine without the fetch of Node', async (_, args, unneeded) => {
  const cwd = temporaryDirectory()
  const file = join(cwd, 'loads')
  const env = {
    LATCHKEY_STORAGE_CREDENTIAL: `lk_${'c'.repeat(49)}`,
    ...{ LOADS_FILE: file, NODE_OPTIONS: `--import=${recorder}` },
  }
  const child = start(args, { cwd, env })
  onTestFinished(() => end(child))
  const service = await ready(child)
  await expect.poll(() => service.output().stdout).toContain('"event":"keys_not_fetched"')
  child.kill('SIGTERM')
  expect(await service.ended()).toBe(0)
  const urls = readFileSync(file, 'utf8').split('\n')
  expect(urls).toContain('node:http')
  expect(urls.filter((url) => unneeded.includes(url))).toEqual([])
})

it("Node's own list names its fetch so", async () => {
  await fetch('data:,')
  const list: readonly string[] = Reflect.get(process, 'moduleLoadList')
  expect(list).toContain(fetchOfNode.replace('node:', 'NativeModule '))
})
