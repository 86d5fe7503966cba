package dev.weft.dsm.access;

/** A node's rights to a minipage; a greater number gives more rights. */
public final class Rights {
  /** No access. */
  public static final byte NONE = 0;
  /** The node may read it. */
  public static final byte READ = 1;
  /** The node may read and write it, and no other node has a copy. */
  public static final byte WRITE = 2;

  private Rights() {}
}
