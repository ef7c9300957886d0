/** Small wrong versions of a source file, each of which a test has to notice. */

import { parseAst } from 'vitest/node'

export interface Mutant {
  readonly file: string
  readonly line: number
  /** The line as it stands, to recognise a mutant when others have moved it. */
  readonly at: string
  /** `before → after`. */
  readonly change: string
  readonly text: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

export function makeMutants(file: string, source: string): readonly Mutant[] {
  const edits = [...editsIn(parse(source), source)]
  const mutants = edits.flatMap((edit) => mutantOf(file, source, edit) ?? [])
  return [...new Map(mutants.map((mutant) => [mutant.text, mutant])).values()]
}

function parse(source: string): Node {
  return parseAst(source, { lang: 'ts' }) as unknown as Node
}

function mutantOf(file: string, source: string, { start, end, text }: Edit): Mutant | undefined {
  const before = source.slice(start, end)
  const changed = source.slice(0, start) + text + source.slice(end)
  try {
    parse(changed)
  } catch {
    return undefined
  }
  const line = source.slice(0, start).split('\n').length
  const at = source.split('\n')[line - 1]?.trim() ?? ''
  return { file, line, at, change: `${short(before)} → ${short(text)}`, text: changed }
}

function short(text: string): string {
  return text === '' ? '(nothing)' : text.replace(/\s+/g, ' ')
}

function* editsIn(node: Node, source: string): Generator<Edit> {
  if (node.type.startsWith('TS') && !hasCode.has(node.type)) return
  if (node.type === 'ImportDeclaration') return
  for (const text of replacements(node, source)) yield { start: node.start, end: node.end, text }
  for (const child of childrenOf(node)) {
    if (!isCondition(child, node)) yield* editsIn(child, source)
    else for (const part of childrenOf(child)) yield* editsIn(part, source)
  }
}

/** An equality that is already tried as true and as false; turning it round would show nothing more. */
function isCondition({ type, operator }: Node, parent: Node): boolean {
  const isEquality = type === 'BinaryExpression' && (operator === '===' || operator === '!==')
  return isEquality && deciding.has(parent.type)
}

const deciding = new Set(['IfStatement', 'ConditionalExpression', 'LogicalExpression'])

/** The only type syntax with code inside. */
const hasCode = new Set(['TSAsExpression', 'TSSatisfiesExpression'])

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flat().filter(isNode)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

const otherOperators: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&': ['|'],
}

const otherMethods: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
}

function replacements(node: Node, source: string): readonly string[] {
  const text = (part: unknown) => (isNode(part) ? source.slice(part.start, part.end) : '')
  const { left, right, test, argument, consequent, alternate } = node
  switch (node.type) {
    case 'BinaryExpression':
      return (otherOperators[String(node['operator'])] ?? []).map(
        (other) => `${text(left)} ${other} ${text(right)}`,
      )
    case 'LogicalExpression':
      return [text(left), text(right)]
    case 'UnaryExpression':
      return node['operator'] === '!' ? [text(argument)] : []
    case 'ConditionalExpression':
      return [text(consequent), text(alternate)]
    case 'IfStatement': {
      const rest = source.slice(isNode(test) ? test.end : node.end, node.end)
      return [`if (true${rest}`, `if (false${rest}`]
    }
    case 'ExpressionStatement':
    case 'ContinueStatement':
    case 'BreakStatement':
    case 'ThrowStatement':
      return ['{}']
    case 'Literal':
      return otherLiterals(node)
    case 'MemberExpression':
      return otherMember(node, text)
    case 'CallExpression':
      return withoutFilter(node, text)
    default:
      return []
  }
}

/** Sentences for people are left alone: their tests would only repeat them. */
function otherLiterals({ value, raw, regex }: Node): readonly string[] {
  if (typeof value === 'boolean') return [String(!value)]
  if (typeof value === 'number')
    return [String(value + 1), ...(value > 0 ? [String(value - 1)] : [])]
  if (typeof value === 'string') return value.includes(' ') ? [] : [value === '' ? "'x'" : "''"]
  return regex === undefined ? [] : looserExpressions(String(raw))
}

/** Without an anchor, and with the case of letters minded or ignored the other way. */
function looserExpressions(raw: string): readonly string[] {
  const [, body = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(raw) ?? []
  const hasLetters = /[a-z]/i.test(body.replace(/\\u[0-9a-f]{4}|\\./g, ''))
  const otherCase = flags.includes('i') ? flags.replace('i', '') : `${flags}i`
  return [
    ...(body.startsWith('^') ? [`/${body.slice(1)}/${flags}`] : []),
    ...(body.endsWith('$') ? [`/${body.slice(0, -1)}/${flags}`] : []),
    ...(hasLetters ? [`/${body}/${otherCase}`] : []),
  ]
}

function otherMember({ object, property, computed }: Node, text: (part: unknown) => string) {
  const other = computed ? undefined : otherMethods[text(property)]
  return other === undefined ? [] : [`${text(object)}.${other}`]
}

function withoutFilter({ callee }: Node, text: (part: unknown) => string): readonly string[] {
  if (!isNode(callee) || callee.type !== 'MemberExpression') return []
  return text(callee['property']) === 'filter' ? [text(callee['object'])] : []
}
