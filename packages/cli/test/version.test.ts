import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { latchkeyHere as latchkey } from './run-here.ts'
import { temporaryDirectory } from './run-latchkey.ts'

it('latchkey version prints the version, the commit of the checkout and the Node that runs it', async () => {
  const cwd = temporaryDirectory()
  const people = await latchkey(['version'], { cwd })
  expect(people).toMatchObject({ code: 0, stderr: '' })
  expect(people.stdout).toMatch(/^VERSION +\S+\nCOMMIT +\S+\nNODE +v\d+\S+\nNODE PATH +\/\S+\n$/)
  const machines = JSON.parse((await latchkey(['version', '--json'], { cwd })).stdout)
  const words = ['rev-parse', 'HEAD']
  const head = execFileSync('git', words, { cwd: import.meta.dirname, encoding: 'utf8' }).trim()
  expect(machines).toEqual({
    version: manifest.version,
    commit: expect.stringMatching(new RegExp(`^${head}(-dirty)?$`)),
    node: process.version,
    nodePath: process.execPath,
  })
})
