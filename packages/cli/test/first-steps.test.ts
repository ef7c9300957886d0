/** The first minutes of a newcomer: commands of the README, the quick start and the help, run as they are written. */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { findProgram } from '@latchkey/testing/tools/find-program'
import { isInstalled, pythonClients } from '@latchkey/testing/tools/python-environments'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { program } from '../src/program.ts'
import { blocksOf, commandsIn } from './documents/commands.ts'
import { end, environmentOf, putCommand, ready, type Serving, start } from './run-latchkey.ts'

const hf = pythonClients.at(-1)
const isMissing =
  hf === undefined || !isInstalled(hf) || !['git', 'bash'].every((name) => findProgram(name))
if (isMissing)
  console.warn('SKIPPED: hf, git or bash is missing, so the first steps of the README are not run')

const starting = 'npm ci && npm start\n'

describe.skipIf(isMissing)('beside the demo', () => {
  const cwd = sharedFolder()
  const tools = sharedFolder()
  const path = [tools, dirname(hf?.python ?? ''), process.env['PATH']].join(delimiter)
  const env = {
    ...{ PATH: path, HF_HOME: join(cwd, 'hf'), HF_HUB_DISABLE_PROGRESS_BARS: '1' },
    GIT_LFS_SKIP_SMUDGE: '1',
  }
  let demo: Serving
  let screen = ''
  beforeAll(async () => {
    putCommand(tools)
    demo = await ready(start(['serve', '--demo', '--port', '0'], { cwd, env }))
    await vi.waitFor(() => expect(demo.output().stdout).toContain('Ctrl+C'), 180_000)
    screen = demo.output().stdout
    return () => end(demo.child)
  })

  /** In one shell, with the address and the hub token of this demo. */
  function paste(blocks: readonly string[]) {
    const [token = ''] = /lk_[0-9A-Za-z]{49}/.exec(screen) ?? []
    const commands = blocks
      .join('\n')
      .replaceAll('http://127.0.0.1:8080', demo.url)
      .replaceAll('lk_...', token)
    const script = ['npx() { "$@"; }', commands].join('\n')
    const around = { cwd, encoding: 'utf8', env: environmentOf({ cwd, env }) } as const
    return spawnSync('bash', ['-c', script], around)
  }
  const pageOfModel = async () => {
    const headers = { accept: 'text/html' }
    return (await fetch(`${demo.url}/acme/tiny-llama`, { headers })).text()
  }

  it('the commands of the README upload a file that the page then shows', async () => {
    const [first, ...blocks] = blocksOf('README.md')
    expect(first).toBe(starting)
    expect(await pageOfModel()).not.toContain('now.txt')
    const { status, stderr } = paste(blocks)
    expect(status, stderr).toBe(0)
    expect(await pageOfModel()).toContain('now.txt')
    expect(existsSync(join(cwd, 'llama/model.safetensors'))).toBe(true)
  })

  it('the commands of the quick start upload, clone, explain and revoke', async () => {
    const [first, ...blocks] = blocksOf('docs/start/quick-start.md')
    expect(first).toBe(starting)
    const { status, stdout, stderr } = paste(blocks)
    expect(status, stderr).toBe(0)
    expect(stdout).toMatch(/"accessToken": "eyJ[\s\S]*"casUrl": "http/)
    expect(stdout).toContain('write needs the role admin for release/1.0; the account has write')
    expect(stderr).toContain('401')
    expect(readFileSync(join(cwd, 'llama.clone/config.json'), 'utf8')).toContain('hidden_size')
  })

  it('the quick start shows the first lines of the demo', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../docs/start/quick-start.md'))
    const [, shown = ''] = /```text\n(Latchkey demo.*?)```/s.exec(String(text)) ?? []
    const withoutPorts = (lines: string) => lines.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1')
    expect(withoutPorts(screen)).toContain(withoutPorts(shown))
  })
})

it('the first steps of the help are commands of the tutorial, in its order', async () => {
  let help = ''
  const latchkey = await program([])
  latchkey.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
  const [, steps = ''] = help.split('First steps')
  const commands = Array.from(steps.matchAll(/^ {4}(\S.*)$/gm), ([, command]) => command)
  const tutorial = blocksOf('docs/start/your-own-hub.md').flatMap(commandsIn)
  const known = new Set(commands)
  expect(commands.length).toBeGreaterThan(5)
  const shown = tutorial.map((command) => command.replace(/^npx /, ''))
  expect(shown.filter((command) => known.has(command))).toEqual(commands)
})
