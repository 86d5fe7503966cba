package dev.weft.dsm.access;

import dev.weft.dsm.wire.ObjectSpec;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Rights of a node in the minipages of one array. Written by the protocol, read by any thread. */
public final class PageTable {
  static final VarHandle BYTES = MethodHandles.arrayElementVarHandle(byte[].class);

  private final ObjectSpec spec;
  final byte[] rights;
  private volatile String gone;
  private volatile MappedViews views;
  private boolean isChecked;

  public PageTable(ObjectSpec spec) {
    this.spec = spec;
    this.rights = new byte[spec.minipages()];
  }

  public ObjectSpec spec() {
    return spec;
  }

  /** Rights of this node in a minipage. */
  public byte rights(int index) {
    return (byte) BYTES.getVolatile(rights, index);
  }

  void set(int index, byte value) {
    BYTES.setVolatile(rights, index, value);
  }

  /** Nobody has any rights from now on, and who wants some is told why. */
  void end(String why) {
    gone = why;
    for (int i = 0; i < rights.length; i++) {
      set(i, Rights.NONE);
    }
    MappedViews seen = views();
    if (seen != null) {
      seen.end(why);
    }
  }

  /** Threads of this process look at this before each access. IllegalStateException if views have it, whose stores the frame does not see. */
  synchronized void useChecked() {
    if (views != null) {
      throw new IllegalStateException("this node serves \"" + spec.name() + "\" to applications by page protection; "
          + "threads of its JVM must use another node for it");
    }
    isChecked = true;
  }

  /** Other processes have views of it. IllegalStateException if threads of this one have used it. */
  public synchronized void use(MappedViews mapped) {
    if (isChecked || views != null) {
      throw new IllegalStateException("threads of this JVM use \"" + spec.name() + "\" through this node already; "
          + "applications must reach it through another node");
    }
    views = mapped;
  }

  /** Null if there are none. */
  MappedViews views() {
    return views;
  }

  /** Why there is nothing here any more; null if there is. */
  public String gone() {
    return gone;
  }
}
