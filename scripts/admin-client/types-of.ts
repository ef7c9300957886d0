/** TypeScript of JSON Schemas: one name for each schema, so that two operations share a type. */

export interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly $ref?: string
  readonly description?: string
  readonly default?: unknown
  readonly format?: string
  readonly writeOnly?: boolean
}

/** The names of the schemas that have one, and their declarations in the order of their first use. */
export class Types {
  readonly #names = new Map<string, string>()
  readonly declarations: string[] = []

  /** The name of this schema: `wanted`, unless another one has it already. */
  named(schema: Schema, wanted: string, otherwise: string, summary = ''): string {
    const key = keyOf(schema)
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const name = [...this.#names.values()].includes(wanted) ? otherwise : wanted
    this.#names.set(key, name)
    this.declare(schema, name, summary)
    return name
  }

  /** A type of its own, also where another schema is the same. */
  declare(schema: Schema, name: string, summary = ''): void {
    const declaration = `${comment(summary)}export interface ${name} ${this.#members(schema)}`
    this.declarations.push(declaration)
  }

  textOf(schema: Schema): string {
    const { type, anyOf, enum: values, items, additionalProperties, format, writeOnly } = schema
    const { $ref } = schema
    if ($ref !== undefined) return $ref.replace(/^.*\//, '')
    if (anyOf !== undefined) return anyOf.map((one) => this.textOf(one)).join(' | ')
    if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ')
    if (format === 'password') {
      return writeOnly ? `string | Secret<'access-token'>` : `Secret<'hub-token'>`
    }
    if (type === 'array') return `readonly ${this.#item(items ?? {})}[]`
    if (type === 'object' && typeof additionalProperties === 'object') {
      return `Readonly<Record<string, ${this.textOf(additionalProperties)}>>`
    }
    if (type === 'object') return this.#names.get(keyOf(schema)) ?? this.#members(schema)
    return [type ?? '']
      .flat()
      .map((one) => basic[one] ?? 'unknown')
      .join(' | ')
  }

  #item(schema: Schema): string {
    const text = this.textOf(schema)
    return / [|] /.test(text) && !text.startsWith('{') ? `(${text})` : text
  }

  #members({ properties = {}, required = [] }: Schema): string {
    const rows = Object.entries(properties).map(([name, schema]) => {
      const isRequired = required.includes(name)
      const type = this.textOf(schema)
      const value = isRequired ? `: ${type}` : `?: ${type} | undefined`
      return `${comment(schema.description ?? '', schema.default)}readonly ${name}${value}\n`
    })
    return `{\n${rows.join('')}}`
  }
}

function keyOf({ description: _, ...shape }: Schema): string {
  return JSON.stringify(shape)
}

const basic: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

const maxLineLength = 96

/** A comment of one line, or of as many as the text needs. */
export function comment(text: string, fallback?: unknown): string {
  const tag = fallback === undefined ? '' : `@default ${JSON.stringify(fallback)}`
  if (text === '' && tag === '') return ''
  if (tag === '' && text.length <= maxLineLength - 10) return `/** ${text} */\n`
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1) ?? ''} ${word}`
    if (lines.length > 0 && line.length < maxLineLength - 6) lines[lines.length - 1] = line
    else lines.push(` ${word}`)
  }
  if (tag !== '') lines.push(` ${tag}`)
  return `/**\n${lines.map((line) => ` *${line}\n`).join('')} */\n`
}
