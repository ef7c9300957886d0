import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRefusal } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { openDirectory } from '../verbs/open-directory.ts'

const root = join(import.meta.dirname, '../../../..')

test.each(['docs/guides/apply-file.md'])(
  'the file that %s shows can be applied, and again without a change',
  async (document) => {
    const text = readFileSync(join(root, document), 'utf8')
    const [, file = ''] = /```json\n([\s\S]+?)```/.exec(text) ?? []
    const directory = await openDirectory()
    expect(isRefusal(await directory.apply(file))).toBe(false)
    expect(await directory.apply(file)).toMatchObject({ changes: [], hubTokens: [] })
  },
)
