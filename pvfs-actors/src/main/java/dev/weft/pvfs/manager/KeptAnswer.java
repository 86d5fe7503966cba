package dev.weft.pvfs.manager;

import dev.weft.pvfs.wire.MetaOp;

/**
 * The answer to a change, stored in the batch of the change, before it is sent: the next manager gives it again if the client repeats the request.
 *
 * @param request number of the request
 * @param inode what was created, linked or changed, in its state at that time; null if the answer has none
 * @param intent work that daemons must finish before the answer may be sent; 0 for none
 */
record KeptAnswer(long request, MetaOp op, Inode inode, long intent) {
  static final long NO_INTENT = 0;

  /** Key of the answer. */
  record Place(long session, int slot) {}
}
