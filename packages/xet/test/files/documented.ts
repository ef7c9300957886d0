/** The examples of docs/client.md as they are printed there, with the addresses of a test in place of the invented ones. */

import { readFileSync } from 'node:fs'
import type { FileWorld } from './file-world.ts'

const document = new URL('../../../../docs/client.md', import.meta.url)

/** Of the section about files. */
export function documented(language: 'ts' | 'html', world: FileWorld): string {
  const [, section = ''] = readFileSync(document, 'utf8').split(/^## Files$/m)
  const block = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(section)?.[1] ?? ''
  const { hubUrl, hubToken } = world.options()
  const invented = { 'https://hub.example': hubUrl, 'lk_…': hubToken }
  return Object.entries(invented).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the example for ${language} does not name ${from}`)
    return text.replace(from, to)
  }, block)
}
