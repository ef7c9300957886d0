/**
 * Settings of glibc for the processes that run tests. When a process starts another one, Linux copies the page tables of the
 * first, and workers with much memory start thousands. glibc makes pages large only in its heap, so that it must not map
 * buffers one by one.
 */
export const largePages = {
  GLIBC_TUNABLES: ['hugetlb=1', 'mmap_threshold=67108864', 'trim_threshold=268435456']
    .map((tunable) => `glibc.malloc.${tunable}`)
    .join(':'),
}
