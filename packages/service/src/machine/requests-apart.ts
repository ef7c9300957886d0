/** Whether the runtime keeps requests apart, as workerd does. */

/**
 * There a question to the hub, a timer and a signal belong to the request that made them. They end with it, without a
 * word to others that wait for them, and must not be touched by another request: each request asks by itself.
 */
export const areRequestsApart: boolean = globalThis.navigator?.userAgent === 'Cloudflare-Workers'
