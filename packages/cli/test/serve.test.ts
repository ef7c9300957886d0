import { once } from 'node:events'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { childrenOf } from '@latchkey/testing/machine/child-processes'
import { describe, expect, it, onTestFinished } from 'vitest'
import { latchkeyHere } from './run-here.ts'
import { latchkey, serve, temporaryDirectory } from './run-latchkey.ts'
import { hubHere } from './serve-here.ts'

const cas = 'http://127.0.0.1:2/r/{repo}/{ref}'
const linked = ['--hub', 'http://127.0.0.1:1', '--cas-url', cas, '--port', '0']

describe('a hub that starts', () => {
  it('says so in one line, names the port it was given by chance, logs JSON lines, and stops for SIGTERM with 0', async () => {
    const hub = await serve(['--no-storage'], { cwd: temporaryDirectory() })
    expect((await fetch(`${hub.url}/healthz`)).status).toBe(200)
    expect(new URL(hub.url).port).not.toBe('0')
    expect((await fetch(`${hub.url}/openapi.json`)).status).toBe(200)
    hub.child.kill('SIGTERM')
    expect(await hub.ended()).toBe(0)
    const { stdout, stderr } = hub.output()
    expect(stderr.split('\n')[0]).toBe(`latchkey hub is ready at ${hub.url}`)
    for (const line of stdout.trimEnd().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({ event: expect.any(String) })
    }
  })

  it('has no storage with --no-storage, of which /readyz and the metrics do not speak, and stops for SIGINT too', async () => {
    const hub = await serve(['--no-storage'], { cwd: temporaryDirectory() })
    expect(childrenOf(hub.child.pid)).toEqual([])
    expect(await (await fetch(`${hub.url}/readyz`)).json()).toEqual({ status: 'ready' })
    const metrics = await (await fetch(`${hub.url}/metrics`)).text()
    expect(metrics).toContain('\n# TYPE ')
    expect(metrics).not.toContain('latchkey_storage_up')
    hub.child.kill('SIGINT')
    expect(await hub.ended()).toBe(0)
  })

  // conformance: Attacks / 30. An attacker reads a secret in files, environment or arguments
  it('stops for SIGHUP too, and keeps its data for its owner', async () => {
    const cwd = temporaryDirectory()
    const hub = await serve(['--no-storage'], { cwd })
    hub.child.kill('SIGHUP')
    expect(await hub.ended()).toBe(0)
    expect(statSync(join(cwd, 'latchkey-data')).mode & 0o777).toBe(0o700)
    expect(statSync(join(cwd, 'latchkey-data', 'latchkey.db')).mode & 0o777).toBe(0o600)
  })

  it('leaves at once at the second signal', async () => {
    const hub = await serve(['--no-storage', '--stop-deadline-seconds', '60'], {
      cwd: temporaryDirectory(),
    })
    const { hostname, port } = new URL(hub.url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    // Once the first is answered, the half one behind it has arrived.
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n')
    await once(socket, 'data')
    hub.child.kill('SIGTERM')
    await expect.poll(() => hub.output().stderr).toContain('stopping')
    hub.child.kill('SIGTERM')
    expect(await hub.ended()).toBe(143)
  })

  it('works on a configuration from file and environment, and warns of what only a storage uses and of plain http to other machines', async () => {
    const cwd = temporaryDirectory()
    writeFileSync(
      join(cwd, 'hub.json'),
      JSON.stringify({ data: 'elsewhere', log: { level: 'silent' } }),
    )
    const words = ['--storage-quota-bytes', '1', '--public-url', 'http://hub.example']
    const hub = await serve(['--config', 'hub.json', '--no-storage', ...words], {
      cwd,
      env: { LATCHKEY_HOST: 'localhost' },
    })
    expect(hub.output().stderr).toMatch(/^warning: --storage-quota-bytes is not used/m)
    expect(hub.output().stderr).toMatch(/^warning: publicUrl is plain http/m)
    expect(statSync(join(cwd, 'elsewhere')).isDirectory()).toBe(true)
    hub.child.kill('SIGTERM')
    expect(await hub.ended()).toBe(0)
    expect(hub.output().stdout).toBe('')
  })
})

describe('a first start that fails leaves nothing behind when', () => {
  const taken = async () => {
    const server = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' ? String(address?.port) : ''
  }

  it.each([
    ['--port', ['serve', '--port']],
    ['--storage-port', ['serve', '--port', '0', '--storage-port']],
    ['--operations-port', ['serve', '--port', '0', '--operations-port']],
    ['--port', ['storage', 'serve', ...linked.slice(0, -1)]],
    ['--operations-port', ['storage', 'serve', ...linked, '--operations-port']],
  ])('its %s is taken: latchkey %j', async (flag, words) => {
    const cwd = temporaryDirectory()
    const port = await taken()
    const env = { LATCHKEY_STORAGE_CREDENTIAL: 'lk_x' }
    const { code, stderr } = await latchkeyHere([...words, port, '--data', 'a/b'], { cwd, env })
    expect(code).toBe(3)
    expect(stderr).toContain(
      `latchkey: port ${port} on 127.0.0.1 is taken. Choose another with ${flag}, or stop what listens there.\n`,
    )
    expect(readdirSync(cwd)).toEqual([])
  })

  it.each([
    ['an option is wrong', ['--stop-deadline-seconds', 'soon'], {}, 2],
    ['its master key is no key', [], { LATCHKEY_MASTER_KEY: 'short' }, 2],
    ['the file of its master key is missing', [], { LATCHKEY_MASTER_KEY_FILE: 'none' }, 3],
    ['the keys of its partners are missing', ['--revoke-partner-keys', 'none.json'], {}, 3],
    ['its database has no folder', ['--database', 'sqlite:/no/folder/latchkey.db'], {}, 3],
    ['its database is of another kind', ['--database', 'mysql://x'], {}, 2],
  ])('%s', async (_, more, env, expected) => {
    const cwd = temporaryDirectory()
    const args = ['serve', '--port', '0', '--data', 'a/b', ...more]
    const { code, stderr } = await latchkeyHere(args, { cwd, env })
    expect(stderr).toMatch(/^latchkey: [^\n]+\n$/)
    expect(code).toBe(expected)
    expect(readdirSync(cwd)).toEqual([])
  })
})

describe('a hub that cannot start ends with 3 and one line when', () => {
  it('its port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const cwd = temporaryDirectory()
    for (const more of [[], ['--demo']]) {
      const { code, stderr } = await latchkeyHere(['serve', '--port', port, ...more], { cwd })
      expect({ code, stderr }).toEqual({
        code: 3,
        stderr: `latchkey: port ${port} on 127.0.0.1 is taken. Choose another with --port, or stop what listens there.\n`,
      })
    }
  })

  it.each([
    ['its data directory is a file', (cwd: string) => writeFileSync(join(cwd, 'data'), '')],
    [
      'its data directory is open to others',
      (cwd: string) => mkdirSync(join(cwd, 'data'), { mode: 0o755 }),
    ],
    [
      'its database is damaged',
      (cwd: string) => {
        mkdirSync(join(cwd, 'data'), { mode: 0o700 })
        writeFileSync(join(cwd, 'data', 'latchkey.db'), 'no database'.repeat(500))
      },
    ],
  ])('%s', async (_, prepare) => {
    const cwd = temporaryDirectory()
    prepare(cwd)
    const { code, stdout, stderr } = await latchkeyHere(
      ['serve', '--port', '0', '--data', 'data'],
      {
        cwd,
      },
    )
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(/^latchkey: the (data directory|database) [^\n]+\n$/)
  })

  it('its data directory is one that others need, which it does not advise to close', async () => {
    const cwd = temporaryDirectory()
    mkdirSync(join(cwd, 'etc'), { mode: 0o755 })
    writeFileSync(join(cwd, 'etc', 'passwd'), '')
    const { code, stderr } = await latchkeyHere(['serve', '--data', 'etc'], { cwd })
    expect(code).toBe(3)
    expect(stderr).toMatch(/^latchkey: [^\n]+ open to other users [^\n]+ choose one with --data/)
    expect(stderr).not.toContain('chmod')
  })

  it('something else lies where content is to be kept', async () => {
    const cwd = temporaryDirectory()
    mkdirSync(join(cwd, 'data'), { mode: 0o700 })
    writeFileSync(join(cwd, 'data', 'objects'), '')
    const { code, stderr } = await latchkey(['serve', '--port', '0', '--data', 'data'], { cwd })
    expect(code).toBe(3)
    expect(stderr).toMatch(/^latchkey: data\/objects is not a directory[^\n]+\n$/)
  })

  it('its data directory cannot be made', async () => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'file'), '')
    const { code, stderr } = await latchkeyHere(
      ['serve', '--port', '0', '--data', join('file', 'data')],
      { cwd },
    )
    expect(code).toBe(3)
    expect(stderr).toMatch(/^latchkey: the data directory file\/data cannot be made [^\n]+\n$/)
  })

  it('its address is none of this machine', async () => {
    const urls = [
      '--public-url',
      'https://hub.example',
      '--cas-url',
      'https://cas.example/r/{repo}/{ref}',
    ]
    const { code, stderr } = await latchkeyHere(['serve', '--host', '192.0.2.1', ...urls], {
      cwd: temporaryDirectory(),
    })
    expect(code).toBe(3)
    expect(stderr).toBe(
      'latchkey: this machine has no address 192.0.2.1. Choose another with --host.\n',
    )
  })

  it('its master key is not the one that its keys are encrypted with', async () => {
    const cwd = temporaryDirectory()
    const { stop } = await hubHere(join(cwd, 'latchkey-data'))
    await stop()
    const env = { LATCHKEY_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') }
    const { code, stderr } = await latchkeyHere(['serve', '--port', '0'], { cwd, env })
    expect(code).toBe(3)
    expect(stderr).toMatch(/^latchkey: [^\n]+\n$/)
    expect(stderr).not.toContain(env.LATCHKEY_MASTER_KEY)
  })
})
