/** Whatever a hub and its commands write is for their owner only. */

import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { latchkey, serve } from '@latchkey/testing/machine/command'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, test } from 'vitest'

test('no file or directory that the command makes is open to other users', async () => {
  const folder = temporaryFolder()
  const around = { cwd: folder, env: { LATCHKEY_DATA: join(folder, 'data') } }
  const world = {
    accounts: [{ name: 'ada' }],
    hubTokens: [{ account: 'ada', name: 'x', kind: 'read' }],
  }
  writeFileSync(join(folder, 'world.json'), JSON.stringify(world), { mode: 0o600 })
  const hub = await serve([], around)
  const made = await latchkey(['apply', 'world.json', '--output', 'tokens.json'], around)
  const copied = await latchkey(['backup', 'copy'], around)
  const { folders, ...modes } = modesIn(folder)
  await hub.end('SIGTERM')

  expect([made.code, copied.code]).toEqual([0, 0])
  expect(folders).toEqual(new Set(['700']))
  expect(modes).toEqual({
    // Says whose objects lie beside it.
    '1.json': '600',
    'backup.json': '600',
    'commands.log': '600',
    'embedded-blob-url-key': '600',
    'latchkey.db': '600',
    'latchkey.db-shm': '600',
    'latchkey.db-wal': '600',
    'journal-number': '600',
    'master.key': '600',
    'storage.db': '600',
    'storage.db-shm': '600',
    'storage.db-wal': '600',
    'tokens.json': '600',
    'world.json': '600',
  })
})

/** Of files by name, of all folders together. */
function modesIn(folder: string) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const modes = entries.map((entry) => {
    const { mode } = statSync(join(entry.parentPath, entry.name))
    return { entry, mode: (mode & 0o777).toString(8) }
  })
  const [folders, files] = [true, false].map((isFolder) =>
    modes.filter(({ entry }) => entry.isDirectory() === isFolder),
  )
  const byName: Record<string, string> = {}
  for (const { entry, mode } of files ?? []) byName[entry.name] = mode
  return { ...byName, folders: new Set(folders?.map(({ mode }) => mode)) }
}
