/** Bytes that anybody may have committed: never shown as a page of this hub. */

export function asDownload(path: string): readonly string[] {
  const name = inHeader(path.slice(path.lastIndexOf('/') + 1))
  return [
    ...['Content-Type', 'application/octet-stream'],
    ...['Content-Disposition', `attachment; filename*=UTF-8''${name}`],
    ...['Content-Security-Policy', "default-src 'none'; sandbox"],
    ...['Accept-Ranges', 'bytes'],
  ]
}

/** RFC 8187 §3.2.1: these have a meaning of their own there. */
function inHeader(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
