/**
 * Settings of glibc for the processes that run tests, at the cost of memory. When a process starts another one, Linux copies
 * the page tables of the first, and workers with much memory start thousands. glibc makes pages large only in its heap, so
 * that it must not map buffers one by one. By default each thread keeps seven freed blocks of a size for itself, and V8 and
 * SQLite free thousands at a time: they would go back to the shared lists, where finding and joining them takes longer.
 */
export const glibcSettings = {
  GLIBC_TUNABLES: [
    'hugetlb=1',
    'mmap_threshold=67108864',
    'trim_threshold=268435456',
    'tcache_count=65535',
  ]
    .map((tunable) => `glibc.malloc.${tunable}`)
    .join(':'),
}
