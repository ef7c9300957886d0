/** Object stores that speak S3: on a loopback port, with buckets that no other test file has. */

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { askTestRun } from '../machine/ask-test-run.ts'
import { freePort, isListening } from '../machine/free-port.ts'
import { guardedFolder } from '../machine/guarded-folder.ts'
import { findS3Proxy, findVersitygw } from '../tools/s3-stores.ts'

/** What a storage needs to know, but for a folder of its own. */
export interface S3PlaceOfTest {
  readonly kind: 's3'
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly prefix: string
  readonly isPathStyle: boolean
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

export interface S3Store {
  /** Where nobody has written anything. */
  newPlace(): S3PlaceOfTest
}

/** Where the server of another process is. */
export interface StoreAddress {
  readonly folder: string
  readonly port: number
}

export interface LocalS3Store extends S3Store {
  readonly address: StoreAddress
  readonly endpoint: string
  readonly port: number
  /** What the server has logged. */
  log(): string
  /** The file of an object as the store keeps it. */
  fileOf(place: S3PlaceOfTest, key: string): string
  /** Removes what was written there, and ends the server if it is not shared. */
  kill(): Promise<void>
}

export interface VersitygwOptions {
  /** Whether buckets can keep versions. */
  readonly hasVersions?: boolean
  /** Whether there is the account of `strangerCredentials`, which the policy of a bucket may let in. */
  readonly hasStranger?: boolean
}

/** Of an account that may do nothing by itself. */
export const strangerCredentials = {
  accessKeyId: 'stranger',
  secretAccessKey: 'secret-of-the-stranger',
}

/** For what neither stops the server nor needs another configuration of it: one for the run of the tests, if that offers it. */
export async function sharedVersitygw(): Promise<LocalS3Store> {
  const address = await askTestRun<StoreAddress>('versitygw')
  return address === undefined ? startVersitygw() : bucketsAt(address)
}

export function startVersitygw({
  hasVersions = false,
  hasStranger = false,
}: VersitygwOptions = {}): Promise<LocalS3Store> {
  const program = findVersitygw()
  if (program === undefined) throw new Error('versitygw is not installed')
  return startStore(({ folder, port }) => {
    const versions = join(folder, 'versions')
    if (hasVersions) mkdirSync(versions)
    const accounts = join(folder, 'accounts')
    if (hasStranger) writeAccounts(accounts)
    const options = [
      ...['--port', `127.0.0.1:${port}`, '--keep-alive', '--quiet'],
      ...(hasStranger ? ['--iam-dir', accounts] : []),
    ]
    const backend = ['posix', ...(hasVersions ? ['--versioning-dir', versions] : [])]
    return [program, ...options, ...backend, bucketsIn(folder)]
  })
}

function writeAccounts(folder: string): void {
  const { accessKeyId: access, secretAccessKey: secret } = strangerCredentials
  const accessAccounts = { [access]: { access, secret, role: 'user' } }
  mkdirSync(folder)
  writeFileSync(join(folder, 'users.json'), JSON.stringify({ accessAccounts }))
}

/** Takes two seconds of a core to start. */
export function startS3Proxy(): Promise<LocalS3Store> {
  const found = findS3Proxy()
  if (found === undefined) throw new Error('S3Proxy is not installed')
  return startStore(({ folder, port }) => {
    const settings = {
      's3proxy.endpoint': `http://127.0.0.1:${port}`,
      's3proxy.authorization': 'aws-v2-or-v4',
      's3proxy.identity': credentials.accessKeyId,
      's3proxy.credential': credentials.secretAccessKey,
      'jclouds.provider': 'filesystem-nio2',
      'jclouds.filesystem.basedir': bucketsIn(folder),
    }
    const lines = Object.entries(settings).map((setting) => `${setting.join('=')}\n`)
    const properties = join(folder, 's3proxy.properties')
    writeFileSync(properties, lines.join(''))
    const logging = join(folder, 'logback.xml')
    writeFileSync(logging, '<configuration><root level="warn"/></configuration>\n')
    // Compiled once, and not again for speed: it lives for seconds.
    const machine = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx256m']
    const words = [...machine, `-Dlogback.configurationFile=${logging}`, '-cp', found.classPath]
    return [found.java, ...words, 'org.gaul.s3proxy.Main', '--properties', properties]
  })
}

const credentials = { accessKeyId: 'tester', secretAccessKey: 'secret-of-the-tester' }

type Command = (place: { folder: string; port: number }) => readonly string[]

async function startStore(command: Command): Promise<LocalS3Store> {
  const folder = guardedFolder({ pidFile: 'pid', signal: 'SIGTERM', isOfOurUser: true })
  try {
    mkdirSync(bucketsIn(folder.path))
    const port = await startOnFreePort(folder.path, command)
    return { ...bucketsAt({ folder: folder.path, port }), kill: () => folder.remove() }
  } catch (error) {
    await folder.remove()
    throw error
  }
}

/** Keeps the process id while it becomes the server. */
const start = 'echo $$ > pid && exec "$@" > log 2>&1'

/** Another process may take a free port before the server does. */
async function startOnFreePort(folder: string, command: Command): Promise<number> {
  for (let left = 4; ; left -= 1) {
    const port = await freePort()
    const child = spawn('/bin/sh', ['-c', start, 'start', ...command({ folder, port })], {
      cwd: folder,
      env: {
        HOME: folder,
        ROOT_ACCESS_KEY: credentials.accessKeyId,
        ROOT_SECRET_KEY: credentials.secretAccessKey,
      },
      detached: true,
      stdio: 'ignore',
    })
    child.unref()
    while (child.exitCode === null && !(await isListening(port))) await setTimeout(20)
    if (child.exitCode === null) return port
    const log = readFileSync(join(folder, 'log'), 'utf8')
    if (left === 0 || !log.includes('in use')) throw new Error(`no store has started: ${log}`)
  }
}

/** Its end takes the buckets that were made here; the server stays. */
function bucketsAt(address: StoreAddress): LocalS3Store {
  const { folder, port } = address
  const endpoint = `http://127.0.0.1:${port}`
  const buckets = bucketsIn(folder)
  const made: string[] = []
  return {
    address,
    endpoint,
    port,
    newPlace() {
      const bucket = `test-${randomBytes(6).toString('hex')}`
      // Both servers take a folder for a bucket.
      mkdirSync(join(buckets, bucket))
      made.push(bucket)
      const common = { kind: 's3', region: 'us-east-1', isPathStyle: true, credentials } as const
      return { ...common, endpoint, bucket, prefix: 'a/hub/' }
    },
    log: () => readFileSync(join(folder, 'log'), 'utf8'),
    fileOf: ({ bucket, prefix }, key) => join(buckets, bucket, prefix + key),
    async kill() {
      for (const bucket of made) rmSync(join(buckets, bucket), { recursive: true, force: true })
    },
  }
}

function bucketsIn(folder: string): string {
  return join(folder, 'buckets')
}

/** Names the store of whoever runs the tests: `https://KEY:SECRET@HOST/BUCKET/PREFIX?region=REGION&style=virtual`. */
export const ownStoreVariable = 'LATCHKEY_TEST_S3'

/** What tests write there stays, below a prefix of their own. */
export function ownStore(): S3Store | undefined {
  const text = process.env[ownStoreVariable]
  if (text === undefined) return undefined
  const { origin, username, password, pathname, searchParams } = new URL(text)
  const [, bucket = '', ...rest] = pathname.split('/').map(decodeURIComponent)
  if (bucket === '' || username === '') {
    throw new Error(`${ownStoreVariable} must name a key, a secret and a bucket`)
  }
  const prefix = rest
    .filter(Boolean)
    .map((segment) => `${segment}/`)
    .join('')
  return {
    newPlace: () => ({
      kind: 's3',
      endpoint: origin,
      region: searchParams.get('region') ?? 'us-east-1',
      bucket,
      prefix: `${prefix}${randomBytes(6).toString('hex')}/`,
      isPathStyle: searchParams.get('style') !== 'virtual',
      credentials: {
        accessKeyId: decodeURIComponent(username),
        secretAccessKey: decodeURIComponent(password),
      },
    }),
  }
}
