/**
 * What tests are started with, for glibc: a process that starts another one copies its page tables first, and workers with
 * much memory start thousands. Pages are large only in the heap, so that buffers must not be mapped one by one.
 */
export const largePages = {
  GLIBC_TUNABLES: ['hugetlb=1', 'mmap_threshold=67108864', 'trim_threshold=268435456']
    .map((tunable) => `glibc.malloc.${tunable}`)
    .join(':'),
}
