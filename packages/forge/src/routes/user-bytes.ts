/** Bytes that anybody may have committed: never shown as a page of this hub. */

export function asDownload(path: string): readonly string[] {
  const name = encodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
  return [
    ...['Content-Type', 'application/octet-stream'],
    ...['Content-Disposition', `attachment; filename*=UTF-8''${name}`],
    ...['Content-Security-Policy', "default-src 'none'; sandbox"],
    ...['Accept-Ranges', 'bytes'],
  ]
}
