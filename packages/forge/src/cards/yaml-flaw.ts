/** What is wrong with a YAML text, as a sentence about one of its lines. */

import type { ErrorCode, YAMLParseError } from 'yaml'

/** The line is counted from 1. Thrown by the readers of YAML, and caught by `parseYaml`. */
export class YamlFlaw extends Error {
  readonly line: number

  constructor(line: number, flaw: string) {
    super(flaw)
    this.line = line
  }
}

/** A flaw in the line in which this character is. */
export function flawAt(text: string, offset: number, flaw: string): YamlFlaw {
  return new YamlFlaw(text.slice(0, offset).split('\n').length, flaw)
}

const anchor = 'has an anchor, which is not supported. Write the value out'
const alias = 'has an alias, which is not supported. Write the value out, or put it in quotes'
const tag = 'has a tag, which is not supported. Put a text in quotes'
const directive = 'has a directive, which is not supported. Put a text that begins with % in quotes'
const another = 'begins or ends a document. Metadata is one document'

/** Tokens that would let a text mean more than it is long, or be read in more than one way. */
export const refusedTokens: Readonly<Record<string, string>> = {
  anchor,
  alias,
  tag,
  'explicit-key-ind': 'has a key that begins with "? ", which is not supported',
  'directive-line': directive,
  'doc-start': another,
  'doc-end': another,
}

/** Undefined where the sentence of the library is better, and repeats nothing of the text. */
const sentences: Readonly<Record<ErrorCode, string | undefined>> = {
  ALIAS_PROPS: alias,
  BAD_ALIAS: alias,
  BAD_COLLECTION_TYPE: tag,
  BAD_DIRECTIVE: directive,
  BAD_DQ_ESCAPE: 'has an unknown escape in double quotes',
  BAD_INDENT: undefined,
  BAD_PROP_ORDER: anchor,
  BAD_SCALAR_START:
    'has a text that begins with a character of its own meaning. Put the text in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'has a text with a colon in it. Put the text in quotes, or look at the next indentation',
  BLOCK_IN_FLOW: 'has an item of a list in brackets',
  DUPLICATE_KEY: 'has a key a second time',
  IMPOSSIBLE: undefined,
  KEY_OVER_1024_CHARS: 'has a key of more than 1024 characters',
  MISSING_CHAR: undefined,
  MULTILINE_IMPLICIT_KEY: 'has a key that goes on in another line, or a list where a key must be',
  MULTIPLE_ANCHORS: anchor,
  MULTIPLE_DOCS: another,
  MULTIPLE_TAGS: tag,
  NON_STRING_KEY: 'has a list or a mapping for a key',
  RESOURCE_EXHAUSTION: 'is too complex',
  TAB_AS_INDENT: 'is indented by a tab. Use spaces',
  TAG_RESOLVE_FAILED: tag,
  UNEXPECTED_TOKEN: 'has something that does not belong there. Put a text in quotes',
}

export function sentenceOf({ code, message }: YAMLParseError): string {
  return sentences[code] ?? `cannot be read. The reason: ${message}`
}
