/** Tags of the reference in what a package declares: `@default` and `@example` on the names that people type. */

import { dirname, join } from 'node:path'

export interface Declaration {
  readonly kind: 'call' | 'options'
  readonly name: string
  readonly comment: string
  /** With its members, if it has any. */
  readonly text: string
}

/** The functions that the entries of a package export, and all types of options. */
export function declarationsIn(report: string): readonly Declaration[] {
  const files = filesOf(report)
  const entries = Array.from(report.matchAll(/^\/\/ \S+ is (\S+)$/gm), ([, file = '']) => file)
  const names = new Set(entries.flatMap((file) => namesOf(file, files)))
  // The type of an option can be put together from several.
  const isPublic = ({ kind, name }: Declaration) => kind === 'options' || names.has(name)
  return [...files.values()].flatMap(parsed).filter(isPublic)
}

function filesOf(report: string): ReadonlyMap<string, string> {
  const [, ...parts] = report.split(/^\/\/ (\S+\.d\.ts)$/m)
  const pairs = parts.map((part, index): [string, string] => [part, parts[index + 1] ?? ''])
  return new Map(pairs.filter((_, index) => index % 2 === 0))
}

/** The names that a file exports, also from other files. */
function namesOf(file: string, files: ReadonlyMap<string, string>): readonly string[] {
  const text = files.get(file) ?? ''
  const all = (pattern: RegExp) => Array.from(text.matchAll(pattern), ([, found = '']) => found)
  const others = all(/^export \* from '(\.\/.*)\.js'/gm)
  const lists = all(/^export (?:type )?\{([^}]*)\}/gm).flatMap((list) => list.split(','))
  return [
    ...others.flatMap((other) => namesOf(join(dirname(file), `${other}.d.ts`), files)),
    ...lists.map((one) => one.trim().split(' ').at(-1) ?? ''),
    ...all(/^export (?:declare )?(?:function|interface|class|type|const) (\w+)/gm),
  ]
}

const comment = String.raw`(?<comment>/\*\*(?:(?!\*/).)*?\*/\s*)?`
const call = new RegExp(`${comment}^export declare (?:function|const) (?<name>\\w+)`, 'gms')
const nameOfOptions = String.raw`(?<name>\w*(?:Options|Settings|Request|Expectation))\b`
const options = new RegExp(
  `${comment}^(?:export )?(?:interface ${nameOfOptions}[^\\n]*\\{.*?^\\}|type ${nameOfOptions} = (?:[^\\n]*;$|.*?^\\};$))`,
  'gms',
)
const optionalMember = new RegExp(`${comment}^ {4}(?:readonly )?(?<name>\\w+)\\?[:(]`, 'gms')

function parsed(text: string): readonly Declaration[] {
  return [...found('call', call, text), ...found('options', options, text)]
}

function found(kind: Declaration['kind'], pattern: RegExp, text: string): readonly Declaration[] {
  return Array.from(text.matchAll(pattern), ({ 0: whole, groups }) => ({
    kind,
    name: groups?.['name'] ?? '',
    comment: groups?.['comment'] ?? '',
    text: whole,
  }))
}

/** A function of several signatures has its example at one of them. */
export function withoutExample(
  declarations: readonly Declaration[],
  called: ReadonlySet<string>,
): readonly string[] {
  const calls = declarations.filter(({ kind, name }) => kind === 'call' && called.has(name))
  const hasExample = new Set(
    calls.filter((one) => one.comment.includes('@example')).map(({ name }) => name),
  )
  return [...new Set(calls.map(({ name }) => name))].filter((name) => !hasExample.has(name))
}

/** `GateOptions.leewaySeconds` */
export function withoutDefault(declarations: readonly Declaration[]): readonly string[] {
  return declarations
    .filter(({ kind }) => kind === 'options')
    .flatMap(({ name, text }) =>
      found('options', optionalMember, text)
        .filter((member) => !member.comment.includes('@default'))
        .map((member) => `${name}.${member.name}`),
    )
}

/** The names that the code of a page imports from a package. */
export function importedNames(page: string, packageName: string): readonly string[] {
  const imports = page.matchAll(/import \{([^}]*)\} from '([^']+)'/g)
  return Array.from(imports).flatMap(([, list = '', source = '']) => {
    const isOwn = source === packageName || source.startsWith(`${packageName}/`)
    return isOwn ? list.split(',').map((one) => one.trim().replace(/^type | as .*/g, '')) : []
  })
}
