/** What the rest of a hub asks the real one: its answer to a caller, and to record a commit. */

/** An answer to a client. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

export type Scope = 'read' | 'write'

export interface HubSide {
  /** The hub's own answer at this path, unchanged. */
  get(path: string, authorization: string | undefined): Promise<Answer>
  /** Moves a ref, or makes one from a branch. */
  setRef(repository: string, ref: string, input: RefInput): Promise<void>
}

interface RefInput {
  readonly from?: string
  readonly commit: string
}

export function hubSide(hubUrl: string, adminToken: string): HubSide {
  const change = async (method: string, path: string, body: object): Promise<void> => {
    const response = await fetch(`${hubUrl}/admin/v1/repositories/${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(await response.text())
  }
  return {
    async get(path, authorization) {
      const response = await fetch(hubUrl + path, {
        headers: authorization === undefined ? {} : { authorization },
      })
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers.entries().filter(isEndToEnd)),
        body: await response.text(),
      }
    },
    setRef: (repository, ref, input) =>
      change('PUT', `${repository}/refs/${encodeURIComponent(ref)}`, input),
  }
}

function isEndToEnd([name]: [string, string]): boolean {
  return !['connection', 'keep-alive', 'transfer-encoding'].includes(name)
}
