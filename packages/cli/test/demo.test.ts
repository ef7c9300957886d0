import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { isInstalled, pythonClients } from '@latchkey/testing/tools/python-environments'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { demoScreen } from '../src/demo/demo-screen.ts'
import { findTools } from '../src/demo/find-tools.ts'
import { colours } from '../src/output/colours.ts'
import { putCommandHere } from './documents/command-here.ts'
import { latchkeyHere as latchkey } from './run-here.ts'
import {
  collect,
  end,
  ended,
  environmentOf,
  inShell,
  ready,
  type Serving,
  serve,
  start,
  temporaryDirectory,
} from './run-latchkey.ts'

/** What is to be pasted; everything else is to be read, and begins with a space, a word or nothing. */
const pasted = /^(?:(?:curl|latchkey|export|eval|git|date) |F=|LATCHKEY_HUB_TOKEN=|ask)/

const pastedForHf = /^(?:(?:export|date|hf|git|latchkey) )/

const linesOf = ({ output }: Serving) => output().stdout.split('\n')
const tokensIn = (text: string) => text.match(/lk_[0-9A-Za-z]{49}/g) ?? []

const curl = findProgram('curl') !== undefined
if (!curl) console.warn('SKIPPED: curl is not installed, so the commands of the demo are not run')
const git = findProgram('git') !== undefined
if (!git) console.warn('SKIPPED: git is not installed, so the demo has no repositories to keep')

const screenOf = async (demo: Serving) => {
  await vi.waitFor(() => expect(demo.output().stdout).toContain('Ctrl+C'), 180_000)
  return demo
}

function expectOneScreen(text: string): void {
  const rows = text.trimEnd().split('\n')
  expect(rows.length).toBeLessThan(24)
  expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(80)
}

/** Runs lines as they were printed, one shell for all. `tools` has the command. */
async function paste(lines: readonly string[], { cwd, tools }: { cwd: string; tools: string }) {
  // Waits for what the pause is for, however slow the machine is.
  const pause = 'sleep() { until ask | grep -q "^HTTP.* 401 "; do command sleep 0.1; done; }'
  const script = [pause, ...lines.filter((line) => pasted.test(line))].join('\n')
  const env = { PATH: `${tools}${delimiter}${process.env['PATH']}` }
  const shell = spawn('bash', ['-c', script], { cwd, env: environmentOf({ cwd, env }) })
  onTestFinished(() => end(shell))
  const output = collect(shell)
  return { status: await ended(shell), ...output() }
}

/** With its storage, for all tests. */
const first = sharedFolder()
const tools = sharedFolder()
let demo: Serving
beforeAll(async () => {
  const endCommands = await putCommandHere(tools)
  demo = await screenOf(await ready(start(['serve', '--demo', '--port', '0'], { cwd: first })))
  return async () => {
    endCommands()
    await end(demo.child)
  }
})

describe('the demo, with its storage', () => {
  const cwd = first

  it('fits a screen of 80 columns and 24 rows, without colours in a pipe', () => {
    const { stdout, stderr } = demo.output()
    expectOneScreen(stderr + stdout)
    expect(stdout).not.toContain('\u001b')
    expect(tokensIn(stdout)).toHaveLength(1)
  })

  it('fits it as well with hf on the machine, whose lines are shown', async () => {
    const { stdout, stderr } = demo.output()
    const folder = temporaryDirectory()
    for (const name of ['hf', 'git']) writeFileSync(join(folder, name), '', { mode: 0o755 })
    const words = ['hub-token', 'list', '--account', 'ada', '--demo', '--json']
    const { items } = JSON.parse((await latchkey(words, { cwd })).stdout)
    const [{ id }] = items.filter(({ name }: { name: string }) => name === 'demo-write')
    const [text = ''] = tokensIn(stdout)
    const screen = demoScreen(
      {
        url: demo.url,
        storageUrl: /storage is ready at (\S+)/.exec(stderr)?.[1],
        data: './latchkey-demo',
        tokens: new Map([['demo-write', { id, text, isReplacement: false }]]),
        command: 'latchkey',
        tools: findTools({ PATH: folder }),
      },
      colours({}),
    )
    expectOneScreen(stderr + screen)
    for (const command of ['hf upload ', 'hf download ', 'git clone ']) {
      expect(screen).toContain(command)
    }
  })

  it.skipIf(!curl)(
    'runs its three commands: a storage token reads a file until it is revoked',
    async () => {
      const { stdout, stderr } = await paste(linesOf(demo), { cwd, tools })
      const [hash, ...more] = stdout.split('\n')
      expect(stderr).toBe('')
      expect(hash).toMatch(/^[0-9a-f]{64}$/)
      const statuses = more.filter((line) => line.startsWith('HTTP/')).map((line) => line.trim())
      expect(statuses).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 401 Unauthorized'])
      expect(existsSync(join(cwd, 'tiny-llama', 'config.json'))).toBe(git)
    },
  )

  it.skipIf(!git)(
    'shows the page of its public model without a login, and no private one',
    async () => {
      const [, page = ''] = /page +(\S+)/.exec(demo.output().stdout) ?? []
      const open = (url: string) => fetch(url, { headers: { accept: 'text/html' } })
      const shown = await open(page)
      expect([shown.status, await shown.text()]).toEqual([
        200,
        expect.stringContaining('config.json'),
      ])
      expect((await open(`${demo.url}/acme/assistant`)).status).toBe(401)
    },
  )

  it.skipIf(!git)('deletes no branch whose weights others need', async () => {
    const words = ['ref', 'delete', 'models/acme/tiny-llama', 'main', '--demo']
    const { code, stderr } = await latchkey(words, { cwd })
    expect(stderr).toContain('Deleting main of models/acme/tiny-llama would lose content')
    expect(code).not.toBe(0)
  })

  it('names addresses that answer, in latchkey demo, which fits 100 columns', async () => {
    const { code, stdout } = await latchkey(['demo'], { cwd })
    expect(code).toBe(0)
    const addresses = stdout.match(/^ {2}(?:keys|API|health) +(\S+)$/gm) ?? []
    expect(addresses).toHaveLength(3)
    for (const line of addresses) {
      expect((await fetch(line.trim().split(/ +/)[1] ?? '')).status).toBe(200)
    }
    const read = stdout.split('\n').filter((line) => !pasted.test(line))
    expect(Math.max(...read.map((line) => line.length))).toBeLessThanOrEqual(100)
  })

  it.skipIf(!curl)('does what the commands of latchkey demo say, all of them', async () => {
    const shown = (await latchkey(['demo'], { cwd })).stdout.split('\n')
    const from = shown.findIndex((line) => line.startsWith('date '))
    const first = await paste(shown.slice(0, from), { cwd, tools })
    const responses = first.stdout.match(/^\{$[\s\S]*?^\}$/gm) ?? []
    expect(responses.map(scopeIn)).toEqual(['read', 'write'])
    expect(first.stderr).toMatch(/^latchkey: [^\n]*refs include release\/1\.0/m)
    expect(first.stdout).toContain('this needs a grant whose refs include release/1.0')
    expect(first.stdout).toContain('repository created models/acme/tiny-llama: public')

    const address = shown.filter((line) => line.startsWith('export LATCHKEY_HUB='))
    const storageLines = [...address, ...shown.slice(from)]
    const { stdout, stderr, status } = await paste(storageLines, { cwd, tools })
    const [hash, same, refusal = '', ...more] = stdout.trim().split('\n')
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(same).toBe('the same file')
    expect(JSON.parse(refusal)).toMatchObject({ status: 403, code: 'insufficient_scope' })
    expect(more).toEqual([])
    expect(stderr).toMatch(
      /^latchkey: the storage responded with 404 to GET \/v1\/reconstructions\/[0-9a-f]{64}: There is no file [^\n]+\n$/,
    )
    expect([status, existsSync(join(cwd, 'copy.txt'))]).toEqual([1, false])
  })
})

const hf = pythonClients.at(-1)
const hasHf = hf !== undefined && isInstalled(hf)
if (!hasHf)
  console.warn('SKIPPED: hf is not installed, so the commands of the demo for it are not run')

/** The process of a demo that finds it. */
async function demoForHf() {
  const cwd = temporaryDirectory()
  const path = `${dirname(hf?.python ?? '')}${delimiter}${process.env['PATH']}`
  const env = { PATH: path, HF_HOME: join(cwd, 'hf'), HF_HUB_DISABLE_PROGRESS_BARS: '1' }
  const demo = await screenOf(await serve(['--demo'], { cwd, env }))
  return { cwd, env, demo, lines: linesOf(demo).filter((line) => pastedForHf.test(line)) }
}

// Each hf takes a second of a processor. The clients of a hub with a forge run it always.
it.skipIf(!hasHf)(
  'with hf on the machine, its lines upload, download and clone a model until the hub token is revoked',
  { tags: 'soak' },
  async () => {
    const { cwd, env, demo, lines } = await demoForHf()
    // With git-lfs on the machine, `git clone` would fetch the large file too.
    const shell = ['export GIT_LFS_SKIP_SMUDGE=1', `latchkey() { ${inShell} "$@"; }`]
    const script = [...shell, ...lines].join('\n')
    const { stderr, status } = spawnSync('bash', ['-c', script], {
      ...{ cwd, encoding: 'utf8', env: environmentOf({ cwd, env }) },
    })
    expect([status, stderr]).toEqual([1, expect.stringContaining('401')])
    const sizeOf = (name: string) => statSync(join(cwd, name)).size
    expect(sizeOf('llama/model.safetensors')).toBeGreaterThan(200_000)
    for (const name of ['README.md', 'config.json', 'now.txt']) {
      expect(sizeOf(`llama/${name}`)).toBe(sizeOf(`llama.clone/${name}`))
    }
    expect(readFileSync(join(cwd, 'llama.clone/model.safetensors'), 'utf8')).toContain('sha256')

    demo.child.kill('SIGTERM')
    await demo.ended()
    const again = await screenOf(await serve(['--demo'], { cwd, env }))
    const [token] = tokensIn(again.output().stdout)
    const headers = { authorization: `Bearer ${token}` }
    const kept = await fetch(`${again.url}/acme/tiny-llama/resolve/main/now.txt`, { headers })
    expect([kept.status, await kept.text()]).toEqual([
      200,
      readFileSync(join(cwd, 'now.txt'), 'utf8'),
    ])
  },
)

const scopeIn = (answer: string) => {
  const [, claims = ''] = JSON.parse(answer).accessToken.split('.')
  return JSON.parse(Buffer.from(claims, 'base64url').toString()).scope
}

describe('a second demo, with the same master key and without a storage,', () => {
  const cwd = sharedFolder()
  const env = { LATCHKEY_MASTER_KEY: '' }
  const startDemo = async (more = {}) =>
    screenOf(
      await ready(
        start(['serve', '--demo', '--no-storage', '--port', '0'], {
          cwd,
          env: { ...env, ...more },
        }),
      ),
    )
  const shown = async () => (await latchkey(['demo'], { cwd, env })).stdout
  const statusWith = async (hub: Serving, token: string | undefined) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${hub.url}/api/whoami`, { headers })).status
  }
  let second: Serving
  beforeAll(async () => {
    const masterKey = join(first, 'latchkey-demo', 'master.key')
    env.LATCHKEY_MASTER_KEY = readFileSync(masterKey, 'utf8').trim()
    // There is no git, either.
    second = await startDemo({ PATH: cwd })
    return () => end(second.child)
  })

  it('says without git in a line that repositories are not served, and runs', () => {
    const { stdout, stderr } = second.output()
    expect(stderr).toMatch(
      /^warning: the hub serves no repositories: there is no git in PATH[^\n]+$/m,
    )
    expect(stdout).not.toContain('clone')
  })

  it('has hub tokens that do not open the first one', async () => {
    const [token] = tokensIn(second.output().stdout)
    expect(await statusWith(second, token)).toBe(200)
    expect(await statusWith(demo, token)).toBe(401)
  })

  it('has the same hub tokens at the next start, but for those that were ended', async () => {
    expect(second.output().stdout).not.toMatch(/storage {2}|latchkey upload/)
    const before = tokensIn(await shown()).slice(0, 4)
    expect(new Set(before).size).toBe(4)
    const [guest, ada, ci, admin] = before
    const id = /--with (\S+)/.exec(await shown())?.[1] ?? ''
    await latchkey(['hub-token', 'revoke', id, '--demo'], { cwd })
    await latchkey(['account', 'delete', 'guest', '--demo'], { cwd })
    expect(await shown()).toMatch(
      /demo-read of guest was deleted; .*demo-ci of ci-bot was deleted; /s,
    )
    second.child.kill('SIGTERM')
    expect(await second.ended()).toBe(0)

    second = await startDemo()
    const screen = await shown()
    const after = tokensIn(screen).slice(0, 4)
    expect([after[1], after[3]]).toEqual([ada, admin])
    expect(after).not.toContain(guest)
    expect(after).not.toContain(ci)
    expect(screen).toMatch(/ci-bot {2}writes [^\n]+ \(new: the previous one was revoked\)/)
    for (const token of after) expect(await statusWith(second, token)).toBe(200)
    for (const token of [guest, ci]) expect(await statusWith(second, token)).toBe(401)
  })

  it('does not mix its data with real data', async () => {
    await end(second.child)
    for (const args of [
      ['serve', '--port', '0'],
      ['account', 'list'],
      ['account', 'create', 'x'],
    ]) {
      const { code, stderr } = await latchkey([...args, '--data', 'latchkey-demo'], { cwd })
      expect(code).toBe(3)
      expect(stderr).toMatch(/^latchkey: the data directory latchkey-demo holds demo data[^\n]+\n$/)
    }
    await latchkey(['account', 'create', 'ada', '--data', 'real'], { cwd })
    const { code, stderr } = await latchkey(['serve', '--demo', '--port', '0', '--data', 'real'], {
      cwd,
    })
    expect(code).toBe(3)
    expect(stderr).toMatch(/^latchkey: the data directory real holds real data[^\n]+\n$/)
  })
})

it('latchkey demo says that no demo runs', async () => {
  const cwd = temporaryDirectory()
  await latchkey(['account', 'create', 'ada'], { cwd })
  for (const more of [[], ['--data', 'latchkey-data']]) {
    const { code, stdout, stderr } = await latchkey(['demo', ...more], { cwd })
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toMatch(/^latchkey: no demo runs on the data directory [^\n]+\n$/)
  }
})

it('the demo refuses an address that others can reach', async () => {
  const urls = ['--public-url', 'https://hub.example', '--cas-url', 'https://cas.example']
  const { code, stderr } = await latchkey(['serve', '--demo', '--host', '0.0.0.0', ...urls], {
    cwd: temporaryDirectory(),
  })
  expect(code).toBe(2)
  expect(stderr).toMatch(/^latchkey: --host: the demo listens only on a loopback address[^\n]*\n$/)
})
