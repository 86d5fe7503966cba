package dev.weft.hca.verbs;

/** What {@link Hca#adviseMr} is to do, as {@code ib_uverbs_advise_mr_advice}. */
public enum MrAdvice {
  /** Bring the pages in, for being read. */
  PREFETCH,
  /** Bring the pages in, for being written. */
  PREFETCH_WRITE,
  /** Use the pages that are there and bring none in: nothing to do for an HCA that shares the page tables of the process. */
  PREFETCH_NO_FAULT
}
