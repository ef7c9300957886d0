import { LatchkeyError } from '@latchkey/client/token-client'

interface PageInput {
  readonly after?: string | undefined
}

interface Page<Entry> {
  readonly items: readonly Entry[]
  readonly next?: string | undefined
}

/**
 * Every entry of a list, page after page, as the caller reads on.
 * @example for await (const { name } of everyEntry(admin.accountList, {})) console.log(name)
 */
export async function* everyEntry<Input extends PageInput | undefined, Entry>(
  list: (input: Input) => Promise<Page<Entry>>,
  input: NonNullable<Input>,
): AsyncGenerator<Entry, void, undefined> {
  let { after } = input
  for (;;) {
    const { items, next } = await list({ ...input, after })
    yield* items
    if (next === undefined) return
    if (next === after) {
      throw new LatchkeyError('answer_invalid', 'The hub names the same page as the next one.')
    }
    after = next
  }
}
