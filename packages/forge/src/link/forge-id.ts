/** The id of a forge: made once in its data directory, which is what it names. */

import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { idPattern } from '@latchkey/protocol'
import { CannotStart } from '@latchkey/service/machine/errors'
import { replaceFile } from '@latchkey/service/machine/files'
import { newId, type RandomBytes } from '@latchkey/service/machine/random'

export async function forgeIdIn(data: string, randomBytes: RandomBytes): Promise<string> {
  const file = join(data, 'forge', 'id')
  const text = await readFile(file, 'utf8').catch((error) => {
    if (Object(error).code !== 'ENOENT') throw error
    return undefined
  })
  if (text === undefined) {
    const id = newId(randomBytes)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await replaceFile(file, `${id}\n`)
    return id
  }
  const id = text.trim()
  if (idPattern.test(id)) return id
  throw new CannotStart(
    `the file ${file} has no id of a forge. Restore it from a backup; without one, delete it, and let the hub adopt the new id with latchkey forge adopt.`,
  )
}
