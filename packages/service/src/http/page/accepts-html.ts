/** Whether a request is a browser's that wants a page. */

/** By name: programs that accept everything get what they got before. */
export function acceptsHtml(accept = ''): boolean {
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === 'text/html' && !parameters.some((one) => /^q=0(\.0*)?$/.test(one))
  })
}
