/** A user with nothing but `latchkey serve --forge`, `huggingface_hub` and git. */

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isInstalled, pythonClients } from '@latchkey/testing/tools/python-environments'
import { expect, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import { serve, temporaryDirectory } from '../run-latchkey.ts'

/** The newest: it asks for the most. */
const environment = pythonClients.at(-1)
const isMissing = environment === undefined || !isInstalled(environment)
if (isMissing)
  console.warn('NOT TESTED: huggingface_hub is not installed, so no repository is made')

const directory = JSON.stringify({
  accounts: [{ name: 'ada' }],
  namespaces: [{ name: 'acme', members: { ada: 'admin' } }],
  hubTokens: [{ account: 'ada', name: 'laptop', kind: 'write' }],
})

const run = promisify(execFile)
const patience = { timeout: 120_000 }

test.skipIf(isMissing)(
  'makes a repository, uploads, lists and downloads files, clones it with git, and deletes it',
  async () => {
    const cwd = temporaryDirectory()
    const { stdout } = await latchkeyHere(['apply', '-', '--json'], { cwd, input: directory })
    const token: string = JSON.parse(stdout).hubTokens[0].token
    const { url } = await serve(['--forge'], { cwd })
    writeFileSync(join(cwd, 'weights.safetensors'), randomBytes(300_000))
    const env = {
      ...{ HOME: cwd, HF_HOME: join(cwd, 'hf'), HF_ENDPOINT: url, PATH: process.env['PATH'] ?? '' },
      ...{ HF_HUB_DISABLE_TELEMETRY: '1', HF_HUB_DISABLE_PROGRESS_BARS: '1' },
    }
    const repo = 'acme/first'

    const program = join(import.meta.dirname, 'hub.py')
    const python = run(environment?.python ?? '', [program], { env, ...patience })
    python.child.stdin?.end(JSON.stringify({ token, repo, folder: cwd }))
    expect(JSON.parse((await python).stdout)).toEqual({
      ...{ whoami: 'ada', url: `${url}/${repo}`, again: `${url}/${repo}` },
      files: ['.gitattributes', 'README.md', 'weights.safetensors'],
      commits: [
        expect.stringContaining('weights'),
        expect.stringContaining('README'),
        'initial commit',
      ],
      ...{ branches: ['main'], readme: '# A card\n', isSame: true },
    })

    const file = `${url}/${repo}/resolve/main/weights.safetensors`
    const fetched = async (headers: Readonly<Record<string, string>> = {}) => {
      const bearer = { authorization: `Bearer ${token}`, ...headers }
      return Buffer.from(await (await fetch(file, { headers: bearer })).arrayBuffer())
    }
    const weights = readFileSync(join(cwd, 'weights.safetensors'))
    expect((await fetched()).equals(weights)).toBe(true)
    const part = await fetched({ range: 'bytes=100000-200000' })
    expect(part.equals(weights.subarray(100_000, 200_001))).toBe(true)

    const address = `${url.replace('//', `//ada:${token}@`)}/${repo}`
    const quiet = {
      ...env,
      GIT_TERMINAL_PROMPT: '0',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
    }
    const git = (words: readonly string[]) => run('git', words, { cwd, env: quiet, ...patience })
    await git(['clone', '--quiet', address, 'clone'])
    expect(readFileSync(join(cwd, 'clone', 'README.md'), 'utf8')).toBe('# A card\n')
    expect(readFileSync(join(cwd, 'clone', 'weights.safetensors'), 'utf8')).toContain('size 300000')
    await expect(git(['clone', '--quiet', `${url}/${repo}`, 'stranger'])).rejects.toThrow()

    const deletion = `from huggingface_hub import HfApi; HfApi(token='${token}').delete_repo('${repo}')`
    await run(environment?.python ?? '', ['-c', deletion], { env, ...patience })
    await expect(git(['ls-remote', address])).rejects.toThrow(/not found|404/)
  },
)
