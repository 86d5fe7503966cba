package dev.weft.pvfs.manager;

import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.wire.FileTimes;

/** An {@link Inode} under construction or change. */
final class InodeDraft {
  final long number;
  final FileType type;
  int mode;
  int uid;
  int gid;
  int links;
  long atimeNs;
  long mtimeNs;
  long ctimeNs;
  long sizeHint;
  Striping striping;
  StripingWish wish = StripingWish.NONE;
  long parent;
  long nextCookie = Entries.FIRST_COOKIE;
  int replicas = 1;
  int quotaId;
  int device;
  long timedNs;

  InodeDraft(long number, FileType type) {
    this.number = number;
    this.type = type;
  }

  InodeDraft(Inode from) {
    this(from.number(), from.type());
    mode = from.mode();
    uid = from.uid();
    gid = from.gid();
    links = from.links();
    atimeNs = from.atimeNs();
    mtimeNs = from.mtimeNs();
    ctimeNs = from.ctimeNs();
    sizeHint = from.sizeHint();
    striping = from.striping();
    wish = from.wish();
    parent = from.parent();
    nextCookie = from.nextCookie();
    replicas = from.replicas();
    quotaId = from.quotaId();
    device = from.device();
    timedNs = from.timedNs();
  }

  /** Records a change of the content. */
  InodeDraft modified(long nowNs) {
    mtimeNs = nowNs;
    ctimeNs = nowNs;
    timedNs = 0;
    return this;
  }

  /** Records a write at an earlier time: another program may have written later, or set the time, since. */
  InodeDraft written(long wroteNs, long nowNs) {
    if (FileTimes.isLater(wroteNs, timedNs == 0 ? mtimeNs : timedNs, nowNs)) {
      mtimeNs = wroteNs;
      timedNs = 0;
    }
    ctimeNs = FileTimes.isLater(wroteNs, ctimeNs, nowNs) ? wroteNs : ctimeNs;
    return this;
  }

  /** Records that a program has set the time of the last change. */
  void timed(long timeNs, long nowNs) {
    mtimeNs = timeNs;
    timedNs = nowNs;
  }

  InodeDraft changed(long nowNs) {
    ctimeNs = nowNs;
    return this;
  }

  InodeDraft links(int delta) {
    links += delta;
    return this;
  }

  /** Drops set-id bits, as after a change of owner or data by anyone but root: the file then runs with the rights of its caller. */
  void dropSetIds() {
    mode &= ~Inode.SETUID;
    if ((mode & Inode.GROUP_EXECUTE) != 0) {
      mode &= ~Inode.SETGID;
    }
  }

  Inode inode() {
    return new Inode(number, type, mode, uid, gid, links, atimeNs, mtimeNs, ctimeNs, sizeHint, striping, wish, parent, nextCookie, replicas, quotaId,
        device, timedNs);
  }
}
