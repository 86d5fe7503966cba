package dev.weft.pvfs.fuse;

/** Ignores the reply to requests that the FUSE engine itself makes. */
enum NoReply implements FuseReply.Done {
  INSTANCE;

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
