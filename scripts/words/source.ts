/** Reads the words of the source: first sentences of comments, names of types, messages. */

import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isHeadless } from './patterns.ts'

const root = resolve(import.meta.dirname, '../..')

export interface SourceFile {
  readonly file: string
  readonly text: string
}

export function sourceFiles(): readonly SourceFile[] {
  const files = globSync('packages/*/src/**/*.ts', {
    cwd: root,
    exclude: ['packages/testing/**'],
  }).toSorted()
  return files.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
}

/** The text of each doc comment, without its stars. */
function commentsIn(text: string): readonly string[] {
  return Array.from(text.matchAll(/\/\*\*([\s\S]*?)\*\//g), ([, comment = '']) =>
    comment
      .replaceAll(/^\s*\* ?/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
}

export function headlessComments(text: string): readonly string[] {
  return commentsIn(text).filter(isHeadless)
}

/** Names of exported types by the files that declare them. */
export function typeNames(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const declared = files.flatMap(({ file, text }) =>
    Array.from(text.matchAll(/^export (?:interface|type|class) (\w+)/gm), ([, name = '']) => ({
      name,
      file,
    })),
  )
  const byName = Map.groupBy(declared, ({ name }) => name)
  return new Map(Array.from(byName, ([name, places]) => [name, places.map(({ file }) => file)]))
}

const irregular =
  /^(?:known|given|told|kept|seen|taken|shown|held|made|sent|found|said|brought|bound|left|lost)$/i

/** `Asked`, `Settled`, `Known`: names that leave out the noun. */
export function isBareParticiple(name: string): boolean {
  return (
    irregular.test(name) ||
    (/^[A-Za-z][a-z]{2,}ed$/.test(name) && !/(?:need|seed|feed|embed|deferred)$/i.test(name))
  )
}

const literal = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\\n]|\\.)*)`|"((?:[^"\\\n]|\\.)*)"/g
const sql = /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|WHERE|PRAGMA|VALUES)\b/

/** Sentences for people: texts of six words or more on one line, without comments and SQL. */
export function messagesIn(text: string): readonly string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  return Array.from(code.matchAll(literal), ([, single, template, double]) =>
    (single ?? template ?? double ?? '').replaceAll(/\$\{[^}]*\}/g, 'x'),
  ).filter((message) => /\S+(?: \S+){5}/.test(message) && !sql.test(message))
}
