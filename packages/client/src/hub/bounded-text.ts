/** The body of an answer as text; of one that goes on beyond the limit, nothing. */

export async function boundedText(
  response: Pick<Response, 'body'>,
  limit: number,
): Promise<string> {
  if (response.body === null) return ''
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text
    text += value
    if (text.length > limit) {
      // Not awaited: the other side may never let go.
      reader.cancel().catch(() => {})
      return ''
    }
  }
}
