/** The examples of the guides for clients as they are printed there, with the addresses of a test in place of the invented ones. */

import { readFileSync } from 'node:fs'
import type { FileWorld } from './file-world.ts'

const guides = { ts: 'javascript-client.md', html: 'browser.md' } as const

/** The first example of the guide. */
export function documented(language: 'ts' | 'html', world: FileWorld): string {
  const guide = new URL(`../../../../docs/guides/${guides[language]}`, import.meta.url)
  const text = readFileSync(guide, 'utf8')
  const block = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(text)?.[1] ?? ''
  const { hubUrl, hubToken } = world.options()
  const invented = { 'https://hub.example': hubUrl, 'lk_…': hubToken }
  return Object.entries(invented).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the example for ${language} does not name ${from}`)
    return text.replace(from, to)
  }, block)
}
