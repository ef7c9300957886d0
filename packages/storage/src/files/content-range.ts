/** Reads the Content-Range header of an upload (RFC 9110, section 14.4): which part of the file the body is. */

export type ContentRange =
  | {
      readonly start: number
      /** The byte after the last one. */
      readonly end: number
      /** The length of the file; undefined while the client does not know it. */
      readonly whole: number | undefined
    }
  /** No bytes: the client asks how far the upload is. */
  | { readonly start: undefined; readonly whole: number | undefined }

const form = /^bytes (?:(\d{1,16})-(\d{1,16})|\*)\/(\d{1,16}|\*)$/i

/** Undefined without the header: the body is the whole file. */
export function parseContentRange(
  header: string | undefined,
): ContentRange | undefined | 'invalid' {
  if (header === undefined) return undefined
  const [isRead, first, last, length] = form.exec(header) ?? []
  if (isRead === undefined) return 'invalid'
  const whole = length === '*' ? undefined : Number(length)
  if (whole !== undefined && !Number.isSafeInteger(whole)) return 'invalid'
  if (first === undefined) return { start: undefined, whole }
  const [start, end] = [Number(first), Number(last) + 1]
  const isRange = Number.isSafeInteger(end) && start < end && end <= (whole ?? end)
  return isRange ? { start, end, whole } : 'invalid'
}
