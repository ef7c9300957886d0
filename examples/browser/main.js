/** Reads one path of a repository for whoever sits before the page, and keeps the token in memory alone. */

// With a bundler: from '@latchkey/client'. Without one, `npm run build:client` makes this file in packages/client/dist.
import { createStorageClient, LatchkeyError } from './latchkey-client.js'

const find = (selector) => document.querySelector(selector)
const typed = (selector) => find(selector).value.trim()

find('form').addEventListener('submit', async (event) => {
  event.preventDefault()
  find('button').disabled = true
  show('Reading …')
  try {
    const { isWhole, text } = await read()
    show(isWhole ? 'Read.' : 'The storage refused:', text)
  } catch (error) {
    show(error instanceof LatchkeyError ? `${error.message} (${error.code})` : String(error))
  } finally {
    find('button').disabled = false
  }
})

async function read() {
  const client = createStorageClient({
    hubUrl: typed('#hub'),
    // A function: the page keeps no copy, and a corrected token is taken at the next try.
    hubToken: () => typed('#hub-token'),
    repo: typed('#repository'),
    revision: typed('#revision'),
    // Somebody sits and waits.
    retryTimeoutSeconds: 5,
  })
  try {
    const response = await client.fetch(typed('#path'), { onDownloadProgress: showProgress })
    return { isWhole: response.ok, text: await response.text() }
  } finally {
    client.close()
  }
}

function showProgress(bytes, total) {
  const bar = find('progress')
  bar.max = total || bytes + 1
  bar.value = bytes
}

/** As text, never as HTML: what a storage holds was written by others. */
function show(status, text = '') {
  find('[role=status]').textContent = status
  find('pre').textContent = text
}
