import { describe, expect, it } from 'vitest'
import { mistakeOf } from '../mistake-of.ts'
import { latchkey, serve, temporaryDirectory } from '../run-latchkey.ts'
import { bert, filledDirectory, hash, packedBytes } from './content.ts'

const one = { count: 1, bytes: packedBytes }

describe('a mistake is one line', () => {
  it.each([
    [['gc', '--grace-hours', '0'], '--grace-hours: "0" is not allowed; give a whole number from 1'],
    [['gc', '--grace-hours', '1.5'], '--grace-hours: "1.5" is not allowed'],
    [['forget', bert, 'abc'], '<hash>: "abc" is not allowed; give 64 hexadecimal digits'],
    [['forget', bert, 'A'.repeat(64)], 'in lower case'],
    [['forget', 'acme/bert', hash('file')], '<repository>: "acme/bert" is not allowed'],
    [['usage', 'models/acme'], '<repository>: "models/acme" is not allowed'],
  ])('latchkey storage %j', async (args, line) => {
    expect(await mistakeOf('storage', ...args)).toContain(line)
  })

  it('a data directory that is not there ends with 3, and none is made', async () => {
    const { code, stderr } = await latchkey(['storage', 'gc'], { cwd: temporaryDirectory() })
    expect(code).toBe(3)
    expect(stderr).toMatch(/^latchkey: there is no database [^\n]+\n$/)
  })
})

it('gc shows what would go, deletes it with --delete while the hub serves, and then finds nothing', async () => {
  const cwd = await filledDirectory()
  await serve([], { cwd })
  const shown = await latchkey(['storage', 'gc'], { cwd })
  expect(shown.code).toBe(0)
  expect(shown.stdout).toMatch(
    /^WHAT +COUNT +BYTES\nxorbs of no file +1 +100\nobjects on the disk +1 +100\n/,
  )
  expect(shown.stderr).toBe(
    'Nothing is deleted yet. With --delete, 100 bytes on the disk would be freed.\n',
  )
  const gone = { xorbs: one, objects: one, drafts: { count: 0, bytes: 0 }, freedBytes: 100 }
  const real = await latchkey(['storage', 'gc', '--delete', '--json'], { cwd })
  expect(JSON.parse(real.stdout)).toEqual({ deleted: true, ...gone })
  const again = await latchkey(['storage', 'gc', '--delete'], { cwd })
  expect(again).toMatchObject({ code: 0, stderr: '0 bytes on the disk are freed.\n' })
  expect(await usage(cwd)).toMatchObject({ disk: { objects: 1, bytes: 100 } })
})

it('gc leaves what is within the grace time', async () => {
  const cwd = await filledDirectory()
  const { stdout } = await latchkey(['storage', 'gc', '--grace-hours', '49', '--json'], { cwd })
  expect(JSON.parse(stdout)).toMatchObject({ deleted: false, freedBytes: 0 })
})

it('forget shows what would go, removes it with --yes, and then knows nothing of it', async () => {
  const cwd = await filledDirectory()
  const args = ['storage', 'forget', bert, hash('file')]
  const shown = await latchkey(args, { cwd })
  expect(shown).toMatchObject({
    code: 0,
    stderr: 'Nothing is removed yet: say --yes to remove it for good.\n',
  })
  expect(shown.stdout).toMatch(
    /^REPOSITORY +models\/acme\/bert\nKIND +file\nFILES +count 1 bytes 100\n/,
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
    'REPOSITORY        BYTES  OBJECTS  QUOTA BYTES\nmodels/acme/bert  200    2        5000\n',
  )
  expect(stderr).toBe('On the disk: 2 objects, 200 bytes.\n')
  const held = { repository: bert, bytes: 200, objects: 2 }
  expect(await usage(cwd)).toEqual({ repositories: [held], disk: { objects: 2, bytes: 200 } })
  const single = await latchkey(['storage', 'usage', bert, '--json'], { cwd })
  expect(JSON.parse(single.stdout)).toEqual(held)
  const none = await latchkey(['storage', 'usage', 'models/acme/none'], { cwd })
  expect(none).toMatchObject({ code: 1, stdout: '' })
})

async function usage(cwd: string): Promise<unknown> {
  return JSON.parse((await latchkey(['storage', 'usage', '--json'], { cwd })).stdout)
}
