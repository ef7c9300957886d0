/** What a test file has opened, closed again in reverse order. */

export interface Closing {
  add(close: () => unknown): void
  close(): Promise<void>
}

export function closing(): Closing {
  const opened: (() => unknown)[] = []
  return {
    add: (close) => void opened.push(close),
    async close() {
      for (const close of opened.splice(0).reverse()) await close()
    },
  }
}
