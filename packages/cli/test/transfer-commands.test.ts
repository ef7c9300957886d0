import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { __internal_XetBlob as XetBlob } from '@huggingface/hub'
import { describe, expect, it } from 'vitest'
import { mistakeOf } from './mistake-of.ts'
import { hasTerminal, latchkeyOnTerminal } from './on-terminal.ts'
import { storageWorld } from './storage-world.ts'

const target = 'models/acme/bert@main'
const nothing = 'a'.repeat(64)
const world = storageWorld()

/** A home with one file of the content. */
function homeWith(content: string | Buffer): string {
  const cwd = world.home()
  writeFileSync(join(cwd, 'file.bin'), content)
  return cwd
}

async function uploaded(content: string | Buffer, to = target): Promise<string> {
  const { code, stdout } = await world.ask(['upload', to, 'file.bin'], { cwd: homeWith(content) })
  expect(code).toBe(0)
  return stdout.trim()
}

describe.concurrent('what is not uploaded', () => {
  it('because the hub token may only read says so, and ends with 1', async () => {
    const cwd = homeWith('of a reader')
    const { code, stdout, stderr } = await world.ask(['upload', target, 'file.bin'], {
      ...{ cwd, token: 'reader' },
    })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^latchkey: [^\n]*; use a hub token that may, or ask [^\n]*\n$/)
  })

  it('because one file is missing is told before any is read', async () => {
    const cwd = homeWith('beside a missing one')
    const { code, stdout, stderr } = await world.ask(['upload', target, 'file.bin', 'none'], {
      cwd,
    })
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: '',
      stderr: 'latchkey: "none" cannot be read: there is no such file\n',
    })
  })
})

describe.concurrent('what is not downloaded', () => {
  it('because there is no such file leaves the old one, and no part of a new', async () => {
    const cwd = homeWith('old')
    const args = ['download', target, nothing, '-o', 'file.bin']
    const { code, stdout, stderr } = await world.ask(args, { cwd })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^latchkey: the storage responded with 404 to GET [^\n]+: There is no file /,
    )
    expect(readFileSync(join(cwd, 'file.bin'), 'utf8')).toBe('old')
    expect(readdirSync(cwd)).toEqual(['file.bin'])
  })

  it('because it is asked for elsewhere tells no more than if it were nowhere', async () => {
    const hash = await uploaded('only where it was put')
    const line = async (where: string, file: string) => {
      const { code, stderr } = await world.ask(['download', where, file], { cwd: world.home() })
      return [code, stderr.replaceAll(file, 'HASH').replace(/request \w+/, 'request')]
    }
    const nowhere = await line(target, nothing)
    expect(await line('models/acme/other@main', hash)).toEqual(nowhere)
    expect(await line('models/acme/bert@next', hash)).toEqual(nowhere)
  })

  it('because of what was typed is told before anybody is asked', async () => {
    expect(await mistakeOf('download', target, 'abc')).toMatch(
      /^<name>: "abc" must be 64 hexadecimal digits in lower case/,
    )
    expect(await mistakeOf('download', 'bert', nothing)).toMatch(/^<target>: "bert" must be/)
    expect(await mistakeOf('upload', target)).toMatch(/missing required argument 'file'/)
    expect(await mistakeOf('upload', target, '-', '-')).toMatch(/standard input can be read once/)
  })

  it.skipIf(!hasTerminal)('because it would go to a terminal ends with 2', async () => {
    const around = { cwd: world.home(), env: world.environment() }
    const { code, screen } = await latchkeyOnTerminal(['download', target, nothing], [], around)
    expect(code).toBe(2)
    expect(screen).toContain('standard output is a terminal: name a file with -o, or say -o -')
  })
})

describe.concurrent('a file', () => {
  it('comes back as it was, to a file or to standard output', async () => {
    const content = randomBytes(1_200_000)
    const hash = await uploaded(content)
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    const cwd = homeWith('old')
    const ended = await world.ask(['download', target, hash, '-o', 'file.bin'], { cwd })
    expect(ended).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(readFileSync(join(cwd, 'file.bin')).equals(content)).toBe(true)
    expect(readdirSync(cwd)).toEqual(['file.bin'])
  })

  it('may come from standard input, and be downloaded with a token that only reads', async () => {
    const cwd = world.home()
    const { stdout } = await world.ask(['upload', target, '-'], { cwd, input: 'piped through' })
    const args = ['download', target, stdout.trim()]
    const ended = await world.ask(args, { cwd, token: 'reader' })
    expect(ended).toEqual({ code: 0, stdout: 'piped through', stderr: '' })
  })

  it('that is empty has a hash as well', async () => {
    const hash = await uploaded('')
    const ended = await world.ask(['download', target, hash, '-o', '-'], { cwd: world.home() })
    expect(ended).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('beside others has a line of its own, in which its name is safe to look at', async () => {
    const cwd = homeWith('one of two')
    writeFileSync(join(cwd, 'two\u001b[2J'), 'two of two')
    const { code, stdout } = await world.ask(['upload', target, 'file.bin', 'two\u001b[2J'], {
      cwd,
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^[0-9a-f]{64} {2}file\.bin\n[0-9a-f]{64} {2}two\\x1b\[2J\n$/)
  })

  it('that is there already is not sent again, and --json tells', async () => {
    const content = randomBytes(500_000)
    const hash = await uploaded(content)
    const args = ['upload', target, 'file.bin', '--json']
    const { stdout } = await world.ask(args, { cwd: homeWith(content) })
    expect(JSON.parse(stdout)).toEqual({
      files: [
        { file: 'file.bin', hash, bytes: 500_000, uploadedBytes: 0, deduplicatedBytes: 500_000 },
      ],
    })
  })

  it('is one for other clients too: the JavaScript client downloads it', async () => {
    const content = randomBytes(700_000)
    const hash = await uploaded(content)
    const { LATCHKEY_HUB: hub, LATCHKEY_HUB_TOKEN: token } = world.environment('reader')
    const refreshUrl = `${hub}/api/models/acme/bert/storage-read-token/main`
    // It sends hub tokens of another form only, so this one is put in on the way.
    const signedIn: typeof fetch = (url, init) =>
      url === refreshUrl
        ? fetch(url, { headers: { authorization: `Bearer ${token}` } })
        : fetch(url, init)
    const blob = new XetBlob({ hash, size: content.length, refreshUrl, fetch: signedIn })
    expect(content.equals(Buffer.from(await blob.arrayBuffer()))).toBe(true)
  })

  it('that another repository has is sent again, as if it were new', async () => {
    const content = randomBytes(300_000)
    await uploaded(content, 'models/acme/other@main')
    const args = ['upload', target, 'file.bin', '--json']
    const { stdout } = await world.ask(args, { cwd: homeWith(content) })
    expect(JSON.parse(stdout).files).toMatchObject([{ deduplicatedBytes: 0 }])
  })
})
