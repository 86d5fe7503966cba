package dev.weft.pvfs.manager;

import dev.weft.pvfs.wire.MetaOp;

/**
 * What a change was answered, or is about to be, as the store has it from the batch of the change on: a manager that comes next answers it again, if the
 * client asks again.
 *
 * @param request its number
 * @param inode what was made, linked or changed, as it was then; null where the answer says none
 * @param intent what daemons have to do before it may be answered; 0 for nothing
 */
record KeptAnswer(long request, MetaOp op, Inode inode, long intent) {
  static final long NO_INTENT = 0;

  /** Where it is kept. */
  record Place(long session, int slot) {}
}
