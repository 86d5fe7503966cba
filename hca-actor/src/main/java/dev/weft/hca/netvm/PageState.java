package dev.weft.hca.netvm;

/** Where a page is. */
enum PageState {
  /** Not mapped. */
  NONE,
  /** In the backing store, or never written. */
  OUT,
  /** Wanted, and without a frame. */
  WAITING,
  /** The store fills its frame. */
  READING,
  /** In its frame and not accessible yet: data that waited for it comes first. */
  LOADED,
  /** Accessible. */
  IN,
  /** The store empties its frame. */
  WRITING,
  /** Unmapped, while a transfer has it locked. */
  LEAVING
}
