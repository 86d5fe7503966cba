package dev.weft.pvfs.fuse;

/** For what the engine itself asks of a file system, and needs no answer to. */
enum Unheard implements FuseReply.Done {
  REPLY;

  @Override
  public int uid() {
    return 0;
  }

  @Override
  public int gid() {
    return 0;
  }

  @Override
  public int pid() {
    return 0;
  }

  @Override
  public void fail(int errno) {}

  @Override
  public void onInterrupt(Runnable action) {}

  @Override
  public void done() {}
}
