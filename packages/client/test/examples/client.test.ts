import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keystream } from '@latchkey/testing/keystream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStage, type Stage } from '../end-to-end/stage.ts'
import { exampleFile, type Ran, runExample, temporaryFolder } from './run-example.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

function run(
  name: string,
  args: readonly string[],
  as: 'read' | 'write',
  tokenIn: 'file' | 'variable' = 'file',
): Promise<Ran> {
  const around = { hub: stage.hub.url, hubToken: stage.hubTokens[`writer/${as}`], tokenIn }
  return runExample([process.execPath, exampleFile(name), ...args], around).ended
}

describe('examples/client/read-repository.ts', () => {
  const read = (revision: string, path: string, tokenIn?: 'file' | 'variable') =>
    run('client/read-repository.ts', ['models/acme/bert', revision, path], 'read', tokenIn)

  it('prints nothing but one line about what was refused', async () => {
    const [noRevision, noObject] = await Promise.all([
      read('absent', '/v1/chunks/kept'),
      read('main', '/v1/chunks/absent'),
    ])
    for (const { code, stdout, stderr } of [noRevision, noObject]) {
      expect([code, stdout.length, stderr.trim().split('\n').length]).toEqual([1, 0, 1])
    }
    expect(noRevision.stderr).toContain('no such revision')
    expect(noObject.stderr).toContain('404')
  })

  it.each(['file', 'variable'] as const)(
    'prints what the storage holds, byte for byte, with a hub token in a %s',
    async (tokenIn) => {
      const bytes = keystream('example', 300_000)
      stage.storage.objects.set('/v1/chunks/kept', bytes)
      const { code, stdout, stderr } = await read('main', '/v1/chunks/kept', tokenIn)
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout.equals(bytes)).toBe(true)
    },
  )
})

describe('examples/client/upload-for-an-hour.ts', () => {
  const pieceLength = 8 * 1024 * 1024
  const bytes = keystream('upload', pieceLength + 1000)
  const upload = (as: 'read' | 'write') => {
    const file = join(temporaryFolder(), 'big.bin')
    writeFileSync(file, bytes)
    return run('client/upload-for-an-hour.ts', ['models/acme/bert', 'main', file], as)
  }

  it('says in one line that it may not write', async () => {
    const { code, stdout, stderr } = await upload('read')
    expect([code, stdout.length, stderr.trim().split('\n').length]).toEqual([1, 0, 1])
  })

  it('sends a file in pieces and prints their names', async () => {
    const { code, stdout, stderr } = await upload('write')
    expect([code, stderr]).toEqual([0, ''])
    const names = stdout.toString().trim().split('\n')
    const pieces = names.map((name) => stage.storage.objects.get(`/v1/xorbs/default/${name}`))
    expect(Buffer.concat(pieces.map((piece) => piece ?? Buffer.alloc(0))).equals(bytes)).toBe(true)
    expect(names).toEqual(pieces.map((piece) => sha256(piece ?? Buffer.alloc(0))))
  })
})

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
