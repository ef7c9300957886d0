/** Secrets typed into the wrong place of the command are not repeated, whole or in part. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { found, hubTokenCanary } from '@latchkey/testing/hub/canary'
import { type Prepared, prepareData } from '@latchkey/testing/hub/prepared-data'
import { sharedFolder } from '@latchkey/testing/machine/folder'
import { beforeAll, describe, expect, test } from 'vitest'
import { latchkeyHere } from '../run-here.ts'
import type { Ended } from '../run-latchkey.ts'

interface Mistake {
  readonly what: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** Stands for the secret until it is known. */
const secret = '{secret}'
const unreachable = 'http://127.0.0.1:9'

const mistakes: readonly Mistake[] = [
  { what: 'a command', args: [secret] },
  { what: 'a flag', args: ['serve', `--${secret}`] },
  { what: 'an argument too many', args: ['serve', secret] },
  { what: 'a log level', args: ['serve', '--log-level', secret] },
  { what: 'the end of a long value', args: ['serve', '--log-level', `${'x'.repeat(45)}${secret}`] },
  { what: 'a value again and again', args: ['serve', '--log-level', secret.repeat(30)] },
  { what: 'a port', args: ['serve', '--port', `80${secret}`] },
  {
    what: 'the password of a URL',
    args: ['serve', '--public-url', `https://me:${secret}@hub.example`],
  },
  { what: 'the query of a URL', args: ['serve', '--cas-url', `https://cas.example/?t=${secret}`] },
  { what: 'a configuration file', args: ['serve', '--config', secret] },
  { what: 'a key of the configuration', args: ['serve', '--config', 'key.json'] },
  { what: 'a value of the configuration', args: ['serve', '--config', 'value.json'] },
  { what: 'a broken configuration', args: ['serve', '--config', 'broken.json'] },
  { what: 'the master key', args: ['serve'], env: { LATCHKEY_MASTER_KEY: secret } },
  {
    what: 'the file of the master key',
    args: ['serve'],
    env: { LATCHKEY_MASTER_KEY_FILE: secret },
  },
  { what: 'an environment variable', args: ['serve'], env: { [`LATCHKEY_${secret}`]: '1' } },
  { what: 'a log level in the environment', args: ['serve'], env: { LATCHKEY_LOG_LEVEL: secret } },
  { what: 'the id of a hub token', args: ['hub-token', 'revoke', secret] },
  { what: 'the name of an account', args: ['account', 'show', secret] },
  { what: 'a kind', args: ['hub-token', 'create', 'writer', 'x', '--kind', secret] },
  { what: 'a file to apply', args: ['apply', secret] },
  { what: 'a name in a file to apply', args: ['apply', 'value.json'] },
  { what: 'text that is no JSON', args: ['apply', 'broken.json'] },
  {
    what: 'a hub token to explain',
    args: ['explain', 'token', 'read', 'models/acme/bert@main', '--as', 'reader', '--with', secret],
  },
  {
    what: 'the address of a hub',
    args: ['account', 'list', '--hub', `https://${secret}@hub.example`],
    env: { LATCHKEY_HUB_TOKEN: secret },
  },
  {
    what: 'a hub token for a hub that is not there',
    args: ['account', 'list', '--hub', unreachable],
    env: { LATCHKEY_HUB_TOKEN: secret },
  },
  {
    what: 'a hub token with a stray character',
    args: ['account', 'list', '--hub', unreachable],
    env: { LATCHKEY_HUB_TOKEN: `${secret}!` },
  },
  {
    what: 'the environment while asking for help',
    args: ['serve', '--help'],
    env: { LATCHKEY_MASTER_KEY: secret, LATCHKEY_HUB_TOKEN: secret },
  },
]

let prepared: Prepared
let token: string
const folder = sharedFolder()
beforeAll(async () => {
  prepared = await prepareData(folder)
  token = prepared.tokens['writer/write'] ?? ''
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write('key.json', JSON.stringify({ [token]: true }))
  write('value.json', JSON.stringify({ host: `${token}/`, accounts: [{ name: `${token}/` }] }))
  write('broken.json', `{"masterKey": "${token}`)
})

describe('a secret in the place of', () => {
  for (const mistake of mistakes) {
    test(`${mistake.what} is not repeated`, async () => {
      const { stdout, stderr } = await run(mistake)
      const outlets = new Map([
        ['output', stdout],
        ['messages', stderr],
      ])
      expect(found([hubTokenCanary('hub token', token)], outlets)).toEqual([])
      expect(stdout + stderr).not.toBe('')
      expect(stderr).not.toMatch(/^\s+at |unexpected error/m)
    })
  }
})

function run({ args, env = {} }: Mistake): Promise<Ended> {
  const fill = (text: string) => text.replaceAll(secret, token)
  const filled = Object.entries(env).map(([name, value]) => [fill(name), fill(value)])
  return latchkeyHere(args.map(fill), {
    cwd: folder,
    env: { ...Object.fromEntries(filled), LATCHKEY_DATA: prepared.data },
  })
}
