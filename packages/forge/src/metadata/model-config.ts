/** The part of a model's configuration that listings show, from `config.json` and `tokenizer_config.json`. */

import { parseJson } from '@latchkey/service/http/parse-json'
import type { ObjectHash, Repository } from '../git/index.ts'
import { readText } from '../large-files/read-text.ts'
import { type Members, membersOf } from '../words/members.ts'

/** Longer files are left alone. */
const maxFileBytes = 256 * 1024
const maxTextLength = 16 * 1024
const maxArchitectures = 32

const tokens = ['bos_token', 'eos_token', 'pad_token', 'unk_token', 'mask_token'] as const

/** Undefined where there is no configuration that can be read. */
export async function readModelConfig(
  repository: Repository,
  tree: ObjectHash,
): Promise<object | undefined> {
  const config = await readJson(repository, tree, 'config.json')
  if (config === undefined) return undefined
  const tokenizer = await readJson(repository, tree, 'tokenizer_config.json')
  const { architectures, model_type: type } = config
  const names = Array.isArray(architectures) ? architectures.filter(isText) : []
  return {
    ...(names.length > 0 ? { architectures: names.slice(0, maxArchitectures) } : {}),
    ...(isText(type) ? { model_type: type } : {}),
    ...(tokenizer === undefined ? {} : { tokenizer_config: tokenizerFacts(tokenizer) }),
  }
}

function tokenizerFacts(tokenizer: Members): object {
  const members = [...tokens, 'chat_template'].map(
    (name) => [name, textIn(tokenizer[name])] as const,
  )
  return Object.fromEntries(members.filter(([, text]) => text !== undefined))
}

/** A token is a text, or an object with its text as `content`. */
function textIn(value: unknown): string | undefined {
  const text = membersOf(value)?.['content'] ?? value
  return isText(text) ? text : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxTextLength
}

async function readJson(
  repository: Repository,
  tree: ObjectHash,
  name: string,
): Promise<Members | undefined> {
  const text = await readText(repository, tree, name, { maxBytes: maxFileBytes })
  return membersOf(await parseJson(Buffer.from(text)))
}
