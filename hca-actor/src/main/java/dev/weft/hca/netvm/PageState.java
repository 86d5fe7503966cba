package dev.weft.hca.netvm;

/** The state of a page. */
enum PageState {
  /** Not mapped. */
  NONE,
  /** In the backing store or never written. */
  OUT,
  /** Requested, but without a frame. */
  WAITING,
  /** The store is filling its frame. */
  READING,
  /** In its frame but not accessible yet, because waiting data must be copied first. */
  LOADED,
  /** Accessible. */
  IN,
  /** The store is writing the contents of its frame. */
  WRITING,
  /** Unmapped, but still locked by a transfer. */
  LEAVING
}
