/** Writes the test data that gates in every language share: tokens, paths with their scopes, whole requests, revocations, and visible rows. */

import { writeFileSync } from 'node:fs'
import { worldText } from '@latchkey/conform'
import { clientDocument } from './vectors/client-cases.ts'
import { requestDocument } from './vectors/request-cases.ts'
import { revocationDocument } from './vectors/revocation-cases.ts'
import { scopeDocument } from './vectors/scope-cases.ts'
import { tokenDocument } from './vectors/token-cases.ts'
import { visibilityDocument } from './vectors/visibility-cases.ts'

type Member = readonly unknown[] | object | string | number

/** Names of files; without one, all are written. */
const names = process.argv.slice(2)

write('tokens.json', tokenDocument)
write('scope-rules.json', scopeDocument)
write('requests.json', requestDocument)
write('revocations.json', revocationDocument)
write('visibility.json', visibilityDocument)
write('client.json', { ...clientDocument })
writeText('world.json', worldText())

function write(name: string, document: Readonly<Record<string, Member>>): void {
  const members = Object.entries(document).map(([key, value]) => `  "${key}": ${textOf(value)}`)
  writeText(name, `{\n${members.join(',\n')}\n}\n`)
}

function writeText(name: string, text: string): void {
  if (names.length > 0 && !names.includes(name)) return
  writeFileSync(new URL(`../vectors/${name}`, import.meta.url), text)
}

/** A list has one element a line, so that a change shows as the lines it concerns. */
function textOf(value: Member): string {
  if (!Array.isArray(value)) return JSON.stringify(value)
  return `[\n${value.map((element) => `    ${JSON.stringify(element)}`).join(',\n')}\n  ]`
}
