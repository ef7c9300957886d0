/** A command that a refusal or an advice names is about the same hub or data as the one that was typed. */

import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { latchkeyHere as latchkey } from './run-here.ts'
import { temporaryDirectory } from './run-latchkey.ts'

const nextOf = (stderr: string) => / Next: (.+)\n$/.exec(stderr)?.[1]

describe('the next command', () => {
  it.each([
    ['--data', 'other data', "--data 'other data'"],
    ['--demo', '--no-demo', '--no-demo'],
    ['--database', 'sqlite:a=b.db', '--database sqlite:a=b.db'],
    ['--config', 'hub.json', '--config hub.json'],
  ])('names the place that %s has named', async (flag, value, expected) => {
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'hub.json'), '{ "data": "./elsewhere" }')
    const place = flag === '--demo' ? [value] : [flag, value]
    await latchkey(['namespace', 'create', 'acme', ...place], { cwd })
    const { stderr } = await latchkey(['account', 'show', 'ada', ...place], { cwd })
    expect(nextOf(stderr)).toBe(`latchkey account create ada ${expected}`)
  })

  it('names the demo, and so does an advice', async () => {
    const cwd = temporaryDirectory()
    const absent = await latchkey(['account', 'list', '--demo'], { cwd })
    expect(nextOf(absent.stderr)).toBe('latchkey serve --demo')
    await latchkey(['account', 'create', 'ada', '--demo'], { cwd })
    const { stderr } = await latchkey(['account', 'show', 'bob', '--demo'], { cwd })
    expect(nextOf(stderr)).toBe('latchkey account create bob --demo')
    const revoked = await latchkey(['revoke', 'account', 'ada', '--demo'], { cwd })
    expect(revoked.stdout).toMatch(/To close it: latchkey account set ada --disabled --demo\n/)
    const plain = await latchkey(['revoke', 'account', 'ada', '--demo', '--json'], { cwd })
    expect(JSON.parse(plain.stdout).advice).toMatch(/ --disabled --demo$/)
  })

  it('makes the first account where the command has looked for it', async () => {
    const cwd = temporaryDirectory()
    const { code, stderr } = await latchkey(['repo', 'list', '--data', 'mine'], { cwd })
    expect(code).toBe(3)
    expect(stderr).toContain('the first account and the first namespace make a new one')
    const next = nextOf(stderr) ?? ''
    expect(next).toBe('latchkey account create NAME --administrator --data mine')
    await latchkey(next.replace('NAME', 'ada').split(' ').slice(1), { cwd })
    expect(existsSync(join(cwd, 'mine'))).toBe(true)
  })
})
