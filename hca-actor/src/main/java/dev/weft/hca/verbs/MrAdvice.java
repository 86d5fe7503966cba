package dev.weft.hca.verbs;

/** The kinds of advice for {@link Hca#adviseMr}, as {@code ib_uverbs_advise_mr_advice}. */
public enum MrAdvice {
  /** Bring in the pages for reading. */
  PREFETCH,
  /** Bring in the pages for writing. */
  PREFETCH_WRITE,
  /** Use the present pages and bring in no others. This HCA shares the page tables of the process, so it does nothing. */
  PREFETCH_NO_FAULT
}
