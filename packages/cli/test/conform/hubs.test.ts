/** `latchkey conform` against our own hub: a fresh data directory with the world, nothing else. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { inShell, temporaryDirectory } from '../run-latchkey.ts'
import { hubHere } from '../serve-here.ts'

/** Every option that a clause is about. */
const allOptions = {
  hidePrivateRepositories: true,
  anonymousPublicRead: true,
  compatHuggingface: true,
  forge: true,
}

async function hubWithWorld(flags: Readonly<Record<string, boolean>> = {}) {
  const cwd = temporaryDirectory()
  const run = (args: readonly string[], input = '') => latchkeyHere(args, { cwd, input })
  const { stdout: world } = await run(['conform', '--print-world'])
  await run(['apply', '-', '--json', '--output', 'tokens.json'], world)
  const casUrl = 'https://cas.example/r/{repo}/{ref}'
  const hub = await hubHere(join(cwd, 'latchkey-data'), { casUrl, ...flags })
  onTestFinished(() => hub.stop())
  const conform = (...args: readonly string[]) =>
    run(['conform', '--hub', hub.url, '--tokens', 'tokens.json', ...args])
  return { cwd, conform }
}

test('our own hub holds every clause that the command checks', async () => {
  const { conform } = await hubWithWorld(allOptions)
  const profiles = ['token-api', 'verifier', 'huggingface'].flatMap((name) => ['--profile', name])
  const commands = [
    ...['--rotate-command', `${inShell} keys rotate`],
    ...['--revoke-command', `${inShell} revoke token`],
  ]
  const { code, stdout } = await conform(...profiles, ...commands, '--format', 'json')
  const { checks, results } = JSON.parse(stdout)
  const others = results.filter(({ outcome }: { outcome: string }) => outcome !== 'passed')
  expect(others).toEqual([])
  expect(checks.passed).toBeGreaterThan(50)
  expect(code).toBe(0)
})

test('without options and commands, the report says why checks were skipped', async () => {
  const { conform } = await hubWithWorld()
  const { code, stdout } = await conform()
  const skipped = stdout.split('\n').filter((line) => line.includes(': skipped: '))
  expect(skipped.map((line) => line.trim())).toEqual([
    'hidden-is-absent: skipped: this hub does not hide private repositories, which is permitted',
    'rotation: skipped: give --rotate-command to check it',
    'revoked-token: skipped: give --revoke-command to check it',
  ])
  expect(stdout).not.toContain('FAIL')
  expect(code).toBe(0)
})

test('a command that fails is an error of its check, with its first words', async () => {
  const { conform } = await hubWithWorld()
  const command = 'echo no such key >&2; exit 3'
  const { code, stdout } = await conform('--only', 'rotation', '--rotate-command', command)
  expect(stdout).toContain(`"${command}" must exit with 0, but exits with 3: no such key`)
  expect(code).toBe(1)
})

test('a tokens file that lacks hub tokens is refused before the first check', async () => {
  const { cwd, conform } = await hubWithWorld()
  const hubTokens = [{ account: 'writer', name: 'write', token: 'a secret token' }]
  writeFileSync(join(cwd, 'tokens.json'), JSON.stringify({ hubTokens }))
  const { code, stdout, stderr } = await conform()
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('tokens.json lacks the hub tokens writer/read, reader/write')
  expect(stderr).toContain('--print-setup shows what it needs')
  expect(stderr).not.toContain('a secret token')
})
