package dev.weft.dsm.access;

/** Rights of a node in a minipage; more is a greater number. */
public final class Rights {
  /** Nothing may be done with it. */
  public static final byte NONE = 0;
  /** It may be read. */
  public static final byte READ = 1;
  /** It may be read and written, and no other node has a copy. */
  public static final byte WRITE = 2;

  private Rights() {}
}
