/** The signature algorithms of storage tokens; a key owns one, a token never chooses. */

export const algorithms = ['ES256', 'EdDSA'] as const

export type Algorithm = (typeof algorithms)[number]
