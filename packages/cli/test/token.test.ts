import { execFileSync } from 'node:child_process'
import { freePort } from '@latchkey/testing/machine/free-port'
import { describe, expect, it } from 'vitest'
import { clientWorld, target } from './client-world.ts'
import { mistakeOf } from './mistake-of.ts'
import { latchkeyHere as latchkey } from './run-here.ts'

const world = clientWorld()

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

describe.concurrent('a token that is not given', () => {
  const unknown = `lk_${'a'.repeat(49)}`
  const cases: readonly [string, () => string, readonly string[], RegExp][] = [
    [
      'a wrong hub token',
      () => unknown,
      ['read', target],
      /rejects the hub token from the environment \(LATCHKEY_HUB_TOKEN\): .*; put a valid one there/,
    ],
    [
      'a missing repository',
      () => world.tokenOf('laptop'),
      ['read', 'models/acme/nothing'],
      /there is no repository models\/acme\/nothing at http:.*; check the name/,
    ],
    [
      'a missing revision',
      () => world.tokenOf('laptop'),
      ['read', 'models/acme/bert@nope'],
      /models\/acme\/bert has no revision "nope"; name a branch, a tag or .*; an administrator makes a branch with latchkey ref set models\/acme\/bert REF\n$/,
    ],
    [
      'a hub token that may only read',
      () => world.tokenOf('reader'),
      ['write', target],
      /may not have a write token here: this needs a hub token of kind write.*; use a hub token that may, .* \(request \w+\)\n$/,
    ],
  ]

  it.each(cases)(
    'because of %s is told so in one line, and ends with 1',
    async (_, token, args, line) => {
      const env = { LATCHKEY_HUB: world.hub, LATCHKEY_HUB_TOKEN: token() }
      const { code, stdout, stderr } = await latchkey(['token', ...args], {
        cwd: world.home(),
        env,
      })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(line)
      expect(stderr).toMatch(/^latchkey: [^\n]+\n$/)
      expect(stderr).not.toContain(token())
    },
  )

  // conformance: Client / Every failed command prints one line and has an exit code
  it('because the hub cannot be reached is told in one line, and ends with 3', async () => {
    const hub = `http://127.0.0.1:${await freePort()}`
    const env = { LATCHKEY_HUB: hub, LATCHKEY_HUB_TOKEN: world.tokenOf('laptop') }
    const ended = await latchkey(['token', 'read', target], { cwd: world.home(), env })
    expect(ended).toEqual({
      code: 3,
      stdout: '',
      stderr: `latchkey: The hub ${hub} cannot be reached (ECONNREFUSED); check --hub, and that the hub runs\n`,
    })
  })

  it('because of what was typed is told before anybody is asked', async () => {
    expect(await mistakeOf('token', 'rad', target)).toBe(
      '<scope>: "rad" is not allowed; give read or write',
    )
    expect(await mistakeOf('token', 'read', 'bert')).toMatch(/^<target>: "bert" must be a repo/)
    expect(await mistakeOf('token', 'read', 'models/acme/bert@')).toContain('then @ and a revision')
    const both = await mistakeOf('token', 'read', target, '--json', '--env')
    expect(both).toContain("'--json' cannot be used with option '--env'")
  })
})

describe.concurrent('a token', () => {
  it('alone is one line', async () => {
    const { code, stdout, stderr } = await world.ask(['token', 'write', target])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^[\w.-]+\n$/)
    expect(claimsOf(stdout)).toMatchObject({
      scope: 'write',
      repo: { id: 'acme/bert' },
      ref: { name: 'refs/heads/main' },
    })
  })

  it('is for main where no revision is named, and JSON for machines', async () => {
    const { stdout } = await world.ask(['token', 'read', 'models/acme/bert', '--json'])
    const { accessToken, exp, casUrl, ...rest } = JSON.parse(stdout)
    const claims = claimsOf(accessToken)
    expect(claims).toMatchObject({ scope: 'read', ref: { name: 'refs/heads/main' }, exp })
    expect(casUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/r\/\w+\/\w+$/)
    expect(rest).toEqual({})
  })

  it('is a header line for curl', async () => {
    const { stdout } = await world.ask(['token', 'read', target, '--header'])
    expect(stdout).toMatch(/^Authorization: Bearer [\w.-]+\n$/)
  })

  it('is set in a shell, in variables that latchkey itself does not refuse', async () => {
    const { stdout } = await world.ask(['token', 'read', target, '--env'])
    const script = `${stdout}printf '%s\\n' "$CAS_URL" "$CAS_TOKEN" "$CAS_TOKEN_EXP"`
    const [casUrl, token = '', exp] = execFileSync('sh', ['-c', script]).toString().split('\n')
    expect(casUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/r\//)
    expect(String(claimsOf(token).exp)).toBe(exp)
    expect(stdout).not.toContain('LATCHKEY_')
  })
})
