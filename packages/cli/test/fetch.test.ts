import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { beforeAll, describe, expect, it } from 'vitest'
import { clientWorld, target } from './client-world.ts'
import { putCommandHere } from './documents/command-here.ts'
import { mistakeOf } from './mistake-of.ts'
import { hasTerminal, latchkeyOnTerminal } from './on-terminal.ts'
import { bin, collect, end, ended, environmentOf, inShell, start } from './run-latchkey.ts'

const bytes = randomBytes(1_500_000)

const curl = findProgram('curl') !== undefined
if (!curl) console.warn('SKIPPED: curl is not installed, so it does not try a token')

interface Received {
  readonly method: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** Everything that reached the storage, by its path. */
const received = new Map<string, Received[]>()

async function storage(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? ''
  const { method, headers } = request
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const before = received.get(path) ?? []
  received.set(path, [...before, { method, headers, body: Buffer.concat(parts) }])
  answer(path, before.length, response)
}

function answer(path: string, times: number, response: ServerResponse): void {
  if (path.startsWith('/bytes')) response.end(bytes)
  else if (path.startsWith('/missing')) response.writeHead(404).end('nothing of the kind')
  else if (path.startsWith('/moved')) response.writeHead(302, { location: '/bytes' }).end()
  else if (path.startsWith('/renew') && times === 0) response.writeHead(401).end()
  else if (path.startsWith('/breaks')) {
    response.writeHead(200, { 'content-length': bytes.length })
    response.write(bytes.subarray(0, 1000), () => response.destroy())
  } else if (path === '/slow/text') drip(Buffer.from('a line\n'.repeat(30)), response)
  else if (path.startsWith('/slow')) drip(bytes, response)
  else response.end(`${path}\n`)
}

/** Thirty parts, one every 50 ms, until nobody listens. */
function drip(data: Buffer, response: ServerResponse): void {
  response.writeHead(200, { 'content-length': data.length })
  let sent = 0
  const timer = setInterval(() => {
    response.write(data.subarray(sent, sent + data.length / 30))
    sent += data.length / 30
    if (sent < data.length) return
    clearInterval(timer)
    response.end()
  }, 50)
  response.on('close', () => clearInterval(timer))
}

const world = clientWorld((request, response) => void storage(request, response))

function environment(): Record<string, string> {
  return { LATCHKEY_HUB: world.hub, LATCHKEY_HUB_TOKEN: world.tokenOf('laptop') }
}

/** The command, for scripts. */
const tools = sharedFolder()
beforeAll(() => putCommandHere(tools))

/** A home with a file that must survive. */
function homeWithFile(): { cwd: string; file: string } {
  const cwd = world.home()
  const file = join(cwd, 'out/old.bin')
  mkdirSync(join(cwd, 'out'))
  writeFileSync(file, 'old')
  return { cwd, file }
}

const filesBeside = (file: string) => readdirSync(join(file, '..'))

describe.concurrent('what is not fetched', () => {
  it('because the storage says no is one line, ends with 1, and writes nothing', async () => {
    const { cwd, file } = homeWithFile()
    const ended = await world.ask(['fetch', target, '/missing', '-o', file], { cwd })
    expect(ended).toEqual({
      code: 1,
      stdout: '',
      stderr: 'latchkey: the storage responded with 404 Not Found to GET /missing\n',
    })
    expect(readFileSync(file, 'utf8')).toBe('old')
    expect(filesBeside(file)).toEqual(['old.bin'])
  })

  it('because the storage sends it elsewhere is not fetched there either', async () => {
    const { code, stdout, stderr } = await world.ask(['fetch', target, '/moved'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe('latchkey: the storage responded with 302 Found to GET /moved\n')
  })

  // conformance: Client / latchkey fetch keeps the old file after a failure
  it('because the answer breaks off leaves the old file, and no part of the new', async () => {
    const { cwd, file } = homeWithFile()
    const { code, stderr } = await world.ask(['fetch', target, '/breaks', '-o', file], { cwd })
    expect(code).toBe(3)
    expect(stderr).toBe('latchkey: the storage stopped in the middle of its response\n')
    expect(readFileSync(file, 'utf8')).toBe('old')
    expect(filesBeside(file)).toEqual(['old.bin'])
  })

  // conformance: Client / latchkey fetch keeps the old file after a failure
  it('because of Ctrl+C leaves the old file, and no part of the new', async ({
    onTestFinished,
  }) => {
    const { cwd, file } = homeWithFile()
    const child = start(['fetch', target, '/slow/interrupted', '-o', file], {
      cwd,
      env: environment(),
    })
    onTestFinished(() => end(child))
    const output = collect(child)
    await expect.poll(() => received.has('/slow/interrupted'), { timeout: 60_000 }).toBe(true)
    expect(filesBeside(file)).toHaveLength(2)
    child.kill('SIGINT')
    expect(await ended(child)).toBe(130)
    expect(output()).toEqual({ stdout: '', stderr: '' })
    expect(readFileSync(file, 'utf8')).toBe('old')
    expect(filesBeside(file)).toEqual(['old.bin'])
  })

  it('because there is nowhere to write it is not asked for', async () => {
    const { code, stderr } = await world.ask(['fetch', target, '/nowhere', '-o', 'no/such/file'])
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: 'latchkey: "no/such/file" cannot be written: its directory does not exist\n',
    })
    expect(received.has('/nowhere')).toBe(false)
  })

  it.skipIf(!existsSync('/dev/full'))('because standard output is full ends with 3', async () => {
    const script = `${inShell} fetch ${target} /bytes > /dev/full`
    const { stderr, status } = await outputOf('sh', ['-c', script], world.home())
    expect({ stderr, status }).toEqual({
      stderr: 'latchkey: standard output cannot be written: there is no room left on the disk\n',
      status: 3,
    })
  })

  it('because of what was typed is told before anybody is asked', async () => {
    const mistake = (...more: string[]) => mistakeOf('fetch', target, '/v1/x', ...more)
    for (const name of ['Authorization', 'authorization', 'Host', 'Content-Length']) {
      const line = await mistake('-H', `${name}: Bearer something-secret`)
      expect(line).toBe(`--header: ${name} is set by latchkey`)
    }
    expect(await mistake('-H', 'something secret')).toMatch(/^--header: give a name, a colon/)
    expect(await mistake('-H', 'X-Key: something\u0000secret')).not.toContain('secret')
    expect(await mistake('-X', 'GET', '--data-binary', 'x')).toBe(
      '--data-binary: a GET request carries no data',
    )
    expect(await mistake('-X', 'CONNECT')).toMatch(/^--request: "CONNECT" is not allowed/)
    expect(await mistake('--scope', 'all')).toMatch(/^--scope: "all" is not allowed/)
    expect(await mistakeOf('fetch', 'bert', '/v1/x')).toMatch(/^<target>: "bert" must be/)
  })

  it('because the path would leave casUrl ends with 2', async () => {
    const { code, stderr } = await world.ask(['fetch', target, '//other.example/x'])
    expect(code).toBe(2)
    expect(stderr).toMatch(/^latchkey: The path is not in its normal form: [^\n]+\n$/)
  })

  it('because standard input cannot be sent again with a new token says so, and ends', async () => {
    const args = ['fetch', target, '/renew/stdin', '--data-binary', '@-', '-X', 'PUT']
    const { code, stderr } = await world.ask(args, { input: 'once' })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^latchkey: the storage rejected the token [^\n]+; use a file, or/)
  })

  it('because the gate says no repeats its sentence, and waits for no more standard input', async ({
    onTestFinished,
  }) => {
    const args = ['fetch', target, '/v1/shards', '--scope', 'read', '--data-binary', '@-']
    const child = start(args, { cwd: world.home(), env: environment() })
    onTestFinished(() => end(child))
    const output = collect(child)
    child.stdin?.on('error', () => {})
    child.stdin?.write('a beginning')
    expect(await ended(child)).toBe(1)
    expect(output().stdout).toBe('')
    expect(output().stderr).toMatch(
      /^latchkey: the storage responded with 403 to POST \/v1\/shards: This storage token may only read\. [^\n]+\(request \w+\)\n$/,
    )
  })
})

describe.concurrent('data from a pipe with a name', () => {
  it('to which nobody writes is not waited for once the hub says no', async () => {
    const args = ['fetch', 'models/acme/nothing', '/v1/shards', '--data-binary', '@pipe']
    const { code, stderr } = await world.ask(args, { cwd: homeWithPipe() })
    expect(code).toBe(1)
    expect(stderr).toMatch(/there is no repository/)
  })

  it('that does not end is not waited for once the gate says no', async ({ onTestFinished }) => {
    const cwd = homeWithPipe()
    const writer = openSync(join(cwd, 'pipe'), 'r+')
    onTestFinished(() => closeSync(writer))
    writeSync(writer, 'a beginning')
    const args = ['fetch', target, '/v1/shards', '--scope', 'read', '--data-binary', '@pipe']
    const { code, stderr } = await world.ask(args, { cwd })
    expect(code).toBe(1)
    expect(stderr).toMatch(/This storage token may only read/)
  })

  it('whose writer has long gone is sent whole', async () => {
    const fetch = `${inShell} fetch ${target} /v1/left --data-binary @/dev/stdin`
    const { stderr, status } = await outputOf('sh', ['-c', `echo left | ${fetch}`], world.home())
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
    expect(received.get('/v1/left')?.[0]?.body.toString()).toBe('left\n')
  })

  it('is sent to its end', async () => {
    const cwd = homeWithPipe()
    const sent = world.ask(['fetch', target, '/v1/pipe', '--data-binary', '@pipe'], { cwd })
    createWriteStream(join(cwd, 'pipe')).end(bytes)
    expect(await sent).toMatchObject({ code: 0, stdout: '/v1/pipe\n', stderr: '' })
    expect(received.get('/v1/pipe')?.[0]?.body.equals(bytes)).toBe(true)
  })
})

function homeWithPipe(): string {
  const cwd = world.home()
  spawnSync('mkfifo', [join(cwd, 'pipe')])
  return cwd
}

describe.concurrent('what is fetched', () => {
  it('is written to standard output byte for byte, and nothing else is', async () => {
    const args = [bin, 'fetch', target, '/bytes?part=all']
    const { stdout, stderr, status } = await outputOf(process.execPath, args, world.home())
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.equals(bytes)).toBe(true)
    expect(received.get('/bytes?part=all')?.[0]).toMatchObject({
      method: 'GET',
      headers: { 'accept-encoding': 'identity', 'latchkey-scope': 'read' },
    })
  })

  it('replaces a file as a whole, and who may read it stays the same', async () => {
    const { cwd, file } = homeWithFile()
    chmodSync(file, 0o644)
    symlinkSync('old.bin', join(cwd, 'out/link.bin'))
    const ended = await world.ask(['fetch', target, '/bytes', '-o', 'out/link.bin'], { cwd })
    expect(ended).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(readFileSync(file).equals(bytes)).toBe(true)
    expect(statSync(file).mode & 0o777).toBe(0o644)
    expect(filesBeside(file)).toEqual(['link.bin', 'old.bin'])
  })

  it('goes to a device without replacing it', async () => {
    expect(await world.ask(['fetch', target, '/bytes', '-o', '/dev/null'])).toMatchObject({
      code: 0,
    })
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
  })

  it('ends quietly when its reader stops reading', async ({ onTestFinished }) => {
    const child = start(['fetch', target, '/slow/unread'], {
      cwd: world.home(),
      env: environment(),
    })
    onTestFinished(() => end(child))
    const output = collect(child)
    child.stdout?.once('data', () => child.stdout?.destroy())
    expect(await ended(child)).toBe(0)
    expect(output().stderr).toBe('')
  })

  it('may be asked for with data, which wants a write token where the storage changes', async () => {
    const args = ['fetch', target, '/v1/shards', '--data-binary', 'häl', '-H', 'X-Of: 1']
    expect(await world.ask([...args, '-H', 'X-Of: 2'])).toMatchObject({
      code: 0,
      stdout: '/v1/shards\n',
    })
    expect(received.get('/v1/shards')?.[0]).toMatchObject({
      method: 'POST',
      headers: {
        'content-type': 'application/octet-stream',
        'latchkey-scope': 'write',
        'x-of': '1, 2',
      },
      body: Buffer.from('häl'),
    })
  })

  it('is asked for again with a new token, and a file is sent from its beginning', async () => {
    const cwd = world.home()
    writeFileSync(join(cwd, 'data.bin'), bytes)
    const args = ['fetch', target, '/renew/file', '-X', 'put', '--data-binary', '@data.bin']
    expect(await world.ask(args, { cwd })).toMatchObject({ code: 0, stdout: '/renew/file\n' })
    const tries = received.get('/renew/file') ?? []
    expect(tries.map(({ method }) => method)).toEqual(['PUT', 'PUT'])
    for (const { body, headers } of tries) {
      expect(body.equals(bytes)).toBe(true)
      expect(headers['content-length']).toBe(String(bytes.length))
    }
  })

  it('may come from standard input, and is sent as it comes', async () => {
    const args = ['fetch', target, '/v1/stdin', '--data-binary', '@-']
    expect(await world.ask(args, { input: 'piped' })).toMatchObject({ code: 0 })
    expect(received.get('/v1/stdin')?.[0]?.body.toString()).toBe('piped')
  })

  it.skipIf(!curl)('is the same with curl and a header from latchkey token', async () => {
    const cwd = world.home()
    const script = `
      PATH='${tools}':$PATH
      eval "$(latchkey token read ${target} --env)"
      latchkey token read ${target} --header | curl -sS -H @- "$CAS_URL/bytes"`
    const { stdout, stderr } = await outputOf('sh', ['-c', script], cwd)
    expect(stderr).toBe('')
    expect(stdout.equals(bytes)).toBe(true)
  })
})

describe.concurrent('a transfer that takes longer', () => {
  it('says nothing in a pipe', async () => {
    const ended = await world.ask(['fetch', target, '/slow/piped', '-o', 'out.bin'])
    expect(ended).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it.skipIf(!hasTerminal)('shows on a terminal how far it is', async () => {
    const { cwd, file } = homeWithFile()
    const args = ['fetch', target, '/slow/shown', '-o', file]
    const { code, screen } = await latchkeyOnTerminal(args, [], { cwd, env: environment() })
    expect(code).toBe(0)
    expect(screen).toMatch(/\[#+\.+\] \d+%, \d\S* [kM]B of 1\.5 MB received, \d\S* [kM]B\/s/)
    expect(screen).toMatch(/\r\u001b\[K$/)
    expect(readFileSync(file).equals(bytes)).toBe(true)
  })

  it.skipIf(!hasTerminal)('shows what is sent, and nothing of it beside the answer', async () => {
    const cwd = homeWithPipe()
    const args = ['fetch', target, '/v1/sent', '--data-binary', '@pipe']
    dripInto(join(cwd, 'pipe'))
    const { code, screen } = await latchkeyOnTerminal(args, [], { cwd, env: environment() })
    expect(code).toBe(0)
    expect(screen).toMatch(/\r\u001b\[K\d+ B sent, \d+ B\/s\r\u001b\[K\/v1\/sent\r?\n$/)
  })

  it.skipIf(!hasTerminal)('shows only its data where that goes to the terminal', async () => {
    const around = { cwd: world.home(), env: environment() }
    const { code, screen } = await latchkeyOnTerminal(['fetch', target, '/slow/text'], [], around)
    expect(code).toBe(0)
    expect(screen.replaceAll('\r', '')).toBe('a line\n'.repeat(30))
  })
})

/** Writes to a pipe for more than a second, once somebody reads it. */
function dripInto(pipe: string): void {
  const stream = createWriteStream(pipe)
  stream.once('open', () => {
    let parts = 0
    const timer = setInterval(() => {
      stream.write('a part of it\n')
      parts += 1
      if (parts < 30) return
      clearInterval(timer)
      stream.end()
    }, 50)
  })
}

/** Standard output as bytes, which may be no text. */
async function outputOf(program: string, args: readonly string[], cwd: string) {
  const child = spawn(program, args, { cwd, env: environmentOf({ cwd, env: environment() }) })
  const parts: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => parts.push(part))
  let stderr = ''
  child.stderr.on('data', (part: Buffer) => {
    stderr += part
  })
  const status = await ended(child)
  return { stdout: Buffer.concat(parts), stderr, status }
}
