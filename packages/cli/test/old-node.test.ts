import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bin, temporaryDirectory } from './run-latchkey.ts'

it.each(['8.17.0', '20.20.2', '23.11.1'])(
  'Node %s is told in one line what to do, and ends with 3',
  (version) => {
    const pretend = join(temporaryDirectory(), 'pretend.cjs')
    writeFileSync(
      pretend,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`,
    )
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-r', pretend, bin, 'serve'], {
      encoding: 'utf8',
    })
    expect(status).toBe(3)
    expect(stdout).toBe('')
    expect(stderr).toMatch(
      /^latchkey: this is Node .*needs Node 24 or newer; run it through npm .*\n$/,
    )
    expect(stderr).toContain(version)
  },
)
