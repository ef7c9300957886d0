import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mistakeOf } from '../mistake-of.ts'
import { latchkeyHere as latchkey } from '../run-here.ts'
import { serve, temporaryDirectory } from '../run-latchkey.ts'
import { bert, filledDirectory, hash, objectOf, packedBytes } from './content.ts'

const one = { count: 1, bytes: packedBytes }
const nothing = { count: 0, bytes: 0 }

describe('a mistake is one line', () => {
  it.each([
    [['gc', '--grace-hours', '0'], '--grace-hours: "0" is not allowed; give a whole number from 1'],
    [['gc', '--grace-hours', '1.5'], '--grace-hours: "1.5" is not allowed'],
    [['delete', bert, 'abc'], '<hash>: "abc" is not allowed; give 64 hexadecimal digits'],
    [['delete', bert, 'A'.repeat(64)], 'in lower case'],
    [['delete', 'acme/bert', hash('file')], '<repository>: "acme/bert" is not allowed'],
    [['usage', 'models/acme'], '<repository>: "models/acme" is not allowed'],
    [['verify', 'bert'], '<repository>: "bert" is not allowed'],
    [['reset-urls', 'bert'], '<repository>: "bert" is not allowed'],
  ])('latchkey storage %j', async (args, line) => {
    expect(await mistakeOf('storage', ...args)).toContain(line)
  })

  it('a data directory that is not there ends with 3, and none is made', async () => {
    for (const args of [
      ['storage', 'gc'],
      ['storage', 'gc', '--hub', 'http://127.0.0.1:9'],
      ['storage', 'reset-urls'],
      ['backup', 'copy'],
    ]) {
      const cwd = temporaryDirectory()
      const { code, stderr } = await latchkey(args, { cwd })
      expect([args, code]).toEqual([args, 3])
      const says =
        /^latchkey: there is no database in \S+, neither of a hub nor of a storage\. [^\n]+\n$/
      expect(stderr).toMatch(says)
      expect(readdirSync(cwd)).toEqual([])
    }
  })
})

it('gc shows what would go, deletes it with --delete while the hub serves, and then finds nothing', async () => {
  const cwd = await filledDirectory()
  await serve([], { cwd })
  const shown = await latchkey(['storage', 'gc'], { cwd })
  expect(shown.code).toBe(0)
  expect(shown.stdout).toMatch(
    /^WHAT +COUNT +BYTES\nunused xorbs +1 +100\nunused objects +1 +100\n/,
  )
  expect(shown.stderr).toBe('Not deleted yet: --delete would free 100 bytes.\n')
  const gone = {
    xorbs: one,
    objects: one,
    drafts: nothing,
    freedBytes: 100,
    unmapped: nothing,
    young: nothing,
  }
  const real = await latchkey(['storage', 'gc', '--delete', '--json'], { cwd })
  expect(JSON.parse(real.stdout)).toEqual({ deleted: true, ...gone })
  const again = await latchkey(['storage', 'gc', '--delete'], { cwd })
  expect(again).toMatchObject({ code: 0, stderr: 'Freed: 0 bytes.\n' })
  expect(await usage(cwd)).toMatchObject({ disk: { objects: 1, bytes: 100 } })
})

it('gc leaves what is within the grace time', async () => {
  const cwd = await filledDirectory()
  const { stdout } = await latchkey(['storage', 'gc', '--grace-hours', '49', '--json'], { cwd })
  expect(JSON.parse(stdout)).toMatchObject({ deleted: false, freedBytes: 0 })
})

it('gc tells what stays because it came lately, though nobody has it any more', async () => {
  const cwd = await filledDirectory()
  await latchkey(['repo', 'delete', bert], { cwd })
  const args = ['storage', 'gc', '--grace-hours', '49']
  expect((await latchkey(args, { cwd })).stderr).toBe(
    '2 more unused objects (200 bytes) stay: they are younger than the grace time of 49 hours.\nNot deleted yet: --delete would free 0 bytes.\n',
  )
  const { stdout } = await latchkey([...args, '--json'], { cwd })
  expect(JSON.parse(stdout)).toMatchObject({ young: { count: 2, bytes: 200 }, freedBytes: 0 })
})

it('forget shows what would go, removes it with --yes, and then knows nothing of it', async () => {
  const cwd = await filledDirectory()
  const args = ['storage', 'delete', bert, hash('file')]
  const shown = await latchkey(args, { cwd })
  expect(shown).toMatchObject({
    code: 0,
    stderr: 'Not deleted yet: pass --yes to delete it for good.\n',
  })
  expect(shown.stdout).toMatch(
    /^REPOSITORY +models\/acme\/bert\nKIND +file\nFILES +1 \(100 bytes\)\nXORBS +1 \(100 bytes\)\nOBJECTS FREED +1\n$/,
  )
  const gone = {
    repository: bert,
    kind: 'file',
    files: one,
    xorbs: one,
    sharedXorbs: 0,
    objects: 1,
  }
  const real = await latchkey([...args, '--yes', '--json'], { cwd })
  expect(JSON.parse(real.stdout)).toEqual({ removed: true, ...gone })
  const again = await latchkey([...args, '--yes'], { cwd })
  expect(again.code).toBe(1)
  expect(again.stderr).toMatch(/^latchkey: No file and no xorb of models\/acme\/bert has [^\n]+\n$/)
  expect(await usage(cwd)).toMatchObject({ repositories: [{ objects: 1 }], disk: { objects: 1 } })
})

it('usage shows what repositories hold beside their quota, and what is on the disk', async () => {
  const cwd = await filledDirectory()
  const env = { LATCHKEY_STORAGE_QUOTA_BYTES: '5000' }
  const { stdout, stderr } = await latchkey(['storage', 'usage'], { cwd, env })
  expect(stdout).toBe(
    'REPOSITORY        BYTES  OBJECTS  QUOTA BYTES\nmodels/acme/bert  244    3        5000\n',
  )
  expect(stderr).toBe('In the store: 2 objects, 200 bytes.\n')
  const held = { repository: bert, bytes: 244, objects: 3 }
  expect(await usage(cwd)).toEqual({ repositories: [held], disk: { objects: 2, bytes: 200 } })
  const single = await latchkey(['storage', 'usage', bert, '--json'], { cwd })
  expect(JSON.parse(single.stdout)).toEqual(held)
  const none = await latchkey(['storage', 'usage', 'models/acme/none'], { cwd })
  expect(none).toMatchObject({ code: 1, stdout: '' })
})

it('usage counts one object as one', async () => {
  const cwd = await filledDirectory()
  await latchkey(['storage', 'gc', '--delete'], { cwd })
  const { stderr } = await latchkey(['storage', 'usage'], { cwd })
  expect(stderr).toBe('In the store: 1 object, 100 bytes.\n')
})

it('verify ends with 1 when something is missing or damaged, and says what, where and what to do', async () => {
  const cwd = await filledDirectory()
  const object = objectOf(join(cwd, 'latchkey-data'), hash('used'))
  rmSync(join(cwd, 'latchkey-data', object))
  const { code, stdout, stderr } = await latchkey(['storage', 'verify'], { cwd })
  expect(code).toBe(1)
  expect(stdout).toContain(
    `REPOSITORY  ${bert}
XORB        ${hash('used')}
PROBLEM     missing
DETAIL      The object is not there.
OBJECT      ${object}
FILES       ${hash('file')}
`,
  )
  expect(stdout.split('\n\n')).toHaveLength(2)
  expect(stdout).toMatch(/^PROBLEM +damaged\nDETAIL +Its chunk table cannot be read\.$/m)
  expect(stderr).toBe(
    'latchkey: missing or damaged: 2 of 2 objects. Copy them from a backup of objects/, or delete each xorb in every listed repository and upload the files again: latchkey storage delete <repository> <xorb> --yes\n',
  )
  const json = await latchkey(['storage', 'verify', bert, '--content', '--json'], { cwd })
  expect(json.code).toBe(1)
  const { badXorbs, ...counts } = JSON.parse(json.stdout)
  expect(counts).toEqual({ objects: 2, badObjects: 2, isCut: false })
  const missing = { repository: bert, xorb: hash('used'), object, files: [hash('file')] }
  expect(badXorbs).toContainEqual(expect.objectContaining({ ...missing, problem: 'missing' }))
})

it('verify and readdress refuse a repository that is not there', async () => {
  const cwd = await filledDirectory()
  for (const verb of ['verify', 'reset-urls']) {
    const { code, stderr } = await latchkey(['storage', verb, 'models/acme/none'], { cwd })
    expect([code, stderr]).toEqual([
      1,
      'latchkey: There is no repository models/acme/none. Names are matched exactly.\n',
    ])
  }
})

it('readdress says how many repositories have new addresses', async () => {
  const cwd = await filledDirectory()
  await latchkey(['repo', 'create', 'models/acme/other'], { cwd })
  const one = await latchkey(['storage', 'reset-urls', bert], { cwd })
  expect(one.stderr).toBe('The refs of 1 repository have new storage URLs.\n')
  const all = await latchkey(['storage', 'reset-urls', '--json'], { cwd })
  expect(JSON.parse(all.stdout)).toEqual({ repositories: 2 })
})

async function usage(cwd: string): Promise<unknown> {
  return JSON.parse((await latchkey(['storage', 'usage', '--json'], { cwd })).stdout)
}
