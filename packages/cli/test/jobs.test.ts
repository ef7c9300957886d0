/** CI jobs at `latchkey serve --forge`: with the unmodified Python client, and with `latchkey login --ci`. */

import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@latchkey/service/http/port'
import { type IdTokenIssuer, startIssuer } from '@latchkey/testing/hub/id-token-issuer'
import { isInstalled, pythonClients } from '@latchkey/testing/tools/python-environments'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issuers } from '../src/configuration/issuers-kind.ts'
import { root } from './documents/commands.ts'
import { latchkeyHere as latchkey } from './run-here.ts'
import { end, putCommand, ready, start, temporaryDirectory } from './run-latchkey.ts'

const environment = pythonClients.at(-1)
const hasPython = environment !== undefined && isInstalled(environment)
if (!hasPython) console.warn('NOT TESTED: huggingface_hub is not installed, so no job uses it')

const run = promisify(execFile)
const patience = { timeout: 600_000 }
const repository = 'models/acme/bert'
const claims = ['repository_id=74', 'repository_owner_id=65', 'ref=refs/heads/main']

const directory = JSON.stringify({
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
})

interface Job {
  readonly cwd: string
  readonly url: string
  readonly issuer: IdTokenIssuer
  readonly github: Server
  readonly asked: (string | null)[]
}

let job: Job
const tidy: (() => unknown)[] = []

beforeAll(async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'latchkey-jobs-'))
  tidy.push(() => rmSync(cwd, { recursive: true }))
  const issuer = await startIssuer()
  tidy.push(() => issuer.close())
  const port = (await freePort('127.0.0.1')) ?? 0
  const file = {
    port,
    trustedPublishers: {
      issuers: [{ issuer: issuer.issuer, preset: 'github', allowPlainHttp: true }],
    },
  }
  writeFileSync(join(cwd, 'hub.json'), JSON.stringify(file))
  const made = await latchkey(['apply', '-', '--json'], { cwd, input: directory })
  const { token } = JSON.parse(made.stdout).hubTokens[0]
  const child = start(['serve', '--forge', '--config', 'hub.json'], { cwd })
  tidy.unshift(() => end(child))
  const { url } = await ready(child)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  for (const name of ['bert', 'other']) {
    const body = JSON.stringify({ type: 'model', name, organization: 'acme' })
    const response = await fetch(`${url}/api/repos/create`, { method: 'POST', headers, body })
    expect(response.status).toBe(200)
  }
  const asked: (string | null)[] = []
  /** As the runner of GitHub serves it to a job with `id-token: write`. */
  const github = createServer(async (request, response) => {
    const audience = new URL(request.url ?? '', 'http://localhost').searchParams.get('audience')
    asked.push(audience)
    const isJob = request.headers.authorization === 'Bearer of the runner'
    const value = isJob ? await issuer.sign(githubClaims(audience)) : undefined
    response.writeHead(isJob ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ value }))
  })
  await new Promise<void>((resolve) => github.listen(0, '127.0.0.1', resolve))
  tidy.push(() => github.close())
  job = { cwd, url, issuer, github, asked }
  const command = await latchkey(
    [
      ...['publisher', 'create', repository, 'release', '--preset', 'github'],
      ...['--issuer', issuer.issuer, '--contents', 'write', '--ref', 'main'],
      ...claims.flatMap((claim) => ['--claim', claim]),
    ],
    { cwd },
  )
  expect(command).toMatchObject({ code: 0 })
}, patience.timeout)
afterAll(async () => {
  for (const step of tidy) await step()
})

let jti = 0
function githubClaims(aud: string | null): object {
  jti += 1
  const now = Math.floor(Date.now() / 1000)
  return {
    ...{ aud, iat: now, exp: now + 300, jti: `job-${jti}` },
    ...{ repository_id: '74', repository_owner_id: '65', ref: 'refs/heads/main' },
    ...{ event_name: 'push', ref_type: 'branch' },
  }
}

const runner = () => ({
  GITHUB_ACTIONS: 'true',
  ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${(job.github.address() as AddressInfo).port}/token?api-version=2.0`,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of the runner',
})

const uploads = [
  { name: 'named ref', repo: 'acme/bert', more: {} },
  { name: 'other ref', repo: 'acme/bert', more: { revision: 'dev' } },
  { name: 'pull request', repo: 'acme/bert', more: { create_pr: true } },
  { name: 'other repository', repo: 'acme/other', more: {} },
]

/** Runs the steps as a job whose environment has these variables. */
async function python(env: object): Promise<Record<string, unknown>> {
  const program = join(import.meta.dirname, 'jobs.py')
  const around = {
    PATH: process.env['PATH'],
    HOME: join(job.cwd, 'home'),
    HF_ENDPOINT: job.url,
    HF_OIDC_RESOURCE: 'acme/bert',
    HF_HUB_DISABLE_TELEMETRY: '1',
    ...env,
  }
  const child = run(environment?.python ?? '', [program], { env: around, ...patience })
  child.child.stdin?.end(JSON.stringify({ uploads }))
  return JSON.parse((await child).stdout)
}

// conformance: Forge / Unmodified clients work
describe.skipIf(!hasPython)('an unmodified huggingface_hub in a job', () => {
  const refused = [expect.any(String), expect.toBeOneOf([403, 404])]
  const told = {
    'named ref': 'done',
    'other ref': refused,
    'pull request': refused,
    'other repository': refused,
    'same token twice': 'done',
  }

  test(
    'of GitHub Actions uploads to the named ref of the named repository alone',
    async () => {
      expect(await python(runner())).toEqual(told)
      expect(job.asked).toContain(job.url)
    },
    patience.timeout,
  )

  test(
    'with an id token of its own does so too',
    async () => {
      const HF_OIDC_ID_TOKEN = await job.issuer.sign(githubClaims(job.url))
      expect(await python({ HF_OIDC_ID_TOKEN })).toEqual(told)
    },
    patience.timeout,
  )

  test(
    'of a pull request uploads nothing',
    async () => {
      const HF_OIDC_ID_TOKEN = await job.issuer.sign({
        ...githubClaims(job.url),
        event_name: 'pull_request',
      })
      await expect(python({ HF_OIDC_ID_TOKEN })).rejects.toThrow(/400 Client Error|Bad Request/)
      const { stdout } = await latchkey(['publisher', 'refusals', repository, '--json'], job)
      expect(JSON.parse(stdout).items[0]).toMatchObject({
        publisher: 'release',
        reason: 'the rule does not allow its event_name',
      })
    },
    patience.timeout,
  )
})

describe('latchkey login --ci', () => {
  const login = (env: Record<string, string>, ...more: string[]) => {
    const cwd = temporaryDirectory()
    const args = ['login', '--hub', job.url, '--ci', repository, ...more]
    return { cwd, ended: latchkey(args, { cwd, env }) }
  }

  test('saves a hub token of the job, with which the other commands work', async () => {
    const { cwd, ended } = login(runner())
    expect(await ended).toMatchObject({ code: 0, stdout: '' })
    const named = await latchkey(['token', 'write', 'models/acme/bert@main'], { cwd })
    expect(named.code).toBe(0)
    const other = await latchkey(['token', 'write', 'models/acme/other@main'], { cwd })
    expect(other.code).toBe(1)
  })

  test('takes the id token of another platform from a variable', async () => {
    const LATCHKEY_ID_TOKEN = await job.issuer.sign(githubClaims(job.url))
    const { ended } = login({ LATCHKEY_ID_TOKEN })
    const { code, stderr } = await ended
    expect([code, stderr]).toEqual([0, expect.stringContaining('as ci-release-')])
    expect(stderr).not.toContain(LATCHKEY_ID_TOKEN.split('.')[2])
  })

  test('says what is missing, and keeps nothing', async () => {
    const { cwd, ended } = login({})
    expect(await ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('this job has no id token'),
    })
    expect(existsSync(join(cwd, '.config'))).toBe(false)
    const LATCHKEY_ID_TOKEN = await job.issuer.sign(githubClaims('https://other.example'))
    expect(await login({ LATCHKEY_ID_TOKEN }).ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('gives this job no hub token: No trusted publisher'),
    })
    expect(await login({}, '--token').ended).toMatchObject({ code: 2 })
  })
})

describe('the guide to jobs', () => {
  const page = 'docs/guides/ci-without-secrets.md'

  test.skipIf(!hasPython)(
    'shows workflows whose commands upload a file',
    async () => {
      const workflows = codeOf('yaml')
      expect(workflows).toHaveLength(3)
      const bin = join(environment?.folder ?? '', 'bin')
      for (const [index, workflow] of workflows.entries()) {
        const cwd = temporaryDirectory()
        putCommand(cwd)
        writeFileSync(join(cwd, 'model.bin'), `of workflow ${index}`)
        const aud = /\baud: (\S+)/.exec(workflow)?.[1]
        const own = /^ +(HF_OIDC_ID_TOKEN):$/m.exec(workflow)?.[1]
        expect([aud, own === undefined]).toEqual([own && job.url, aud === undefined])
        const variables = workflow.matchAll(/^ +(HF_\w+): (\S+)$/gm)
        const env = {
          ...{ PATH: `${cwd}:${bin}:${process.env['PATH']}`, HOME: join(cwd, 'home') },
          ...Object.fromEntries(Array.from(variables, ([, name, value]) => [name, value])),
          ...(own === undefined
            ? runner()
            : { [own]: await job.issuer.sign(githubClaims(job.url)) }),
        }
        const commands = [...workflow.matchAll(/^ *- (?:run: )?((?:hf|latchkey) .*)$/gm)]
        expect(commands).not.toHaveLength(0)
        const lines = commands.map(([, command = '']) => command)
        await run('sh', ['-ec', lines.join('\n')], { cwd, env, ...patience })
      }
    },
    patience.timeout,
  )

  test('shows a configuration that the hub takes', () => {
    const [file = ''] = codeOf('json')
    const { trustedPublishers } = JSON.parse(file)
    expect(issuers.read(trustedPublishers.issuers)).toMatchObject([
      { preset: 'github', maxAgeSeconds: 3600, allowPrivateAddresses: false },
      { preset: 'gitlab', maxAgeSeconds: 7200, allowPlainHttp: false },
    ])
  })

  function codeOf(language: string): readonly string[] {
    const text = readFileSync(join(root, page), 'utf8').replaceAll('https://hub.example', job.url)
    const fenced = text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))
    return Array.from(fenced, ([, code = '']) => code)
  }
})

test.each([
  ['a list without URLs', ['github']],
  ['another platform without a preset', ['https://ci.example']],
  ['an own GitLab without a preset', [{ issuer: 'https://gitlab.example' }]],
  ['an own GitHub without a preset', ['https://github.example/_services/token']],
  [
    'an enterprise of GitHub without a preset',
    ['https://token.actions.githubusercontent.com/acme'],
  ],
  ['plain http', [{ issuer: 'http://ci.example', preset: 'other' }]],
  [
    'plain http that is no loopback address',
    [{ issuer: 'http://ci.example', preset: 'other', allowPlainHttp: true }],
  ],
  ['an age above a day', [{ issuer: 'https://gitlab.com', maxAgeSeconds: 86_401 }]],
  ['an unknown preset', [{ issuer: 'https://ci.example', preset: 'circle' }]],
  ['an unknown member', [{ issuer: 'https://gitlab.com', audience: 'x' }]],
  ['an issuer twice', ['https://gitlab.com', 'https://gitlab.com']],
])('the configuration refuses %s', (_, value) => {
  expect(issuers.read(value)).toBeUndefined()
})

test('the message about a platform without a preset says where and how to write it', () => {
  expect(issuers.read(['https://gitlab.com'])).toMatchObject([{ preset: 'gitlab' }])
  expect(issuers.allowed).toMatch(/your own GitLab.*configuration file.*"preset": github or gitlab/)
})
