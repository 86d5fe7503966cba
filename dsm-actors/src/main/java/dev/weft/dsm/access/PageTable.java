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

  public PageTable(ObjectSpec spec) {
    this.spec = spec;
    this.rights = new byte[spec.minipages()];
  }

  public ObjectSpec spec() {
    return spec;
  }

  byte rights(int index) {
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
  }

  /** Why there is nothing here any more; null if there is. */
  public String gone() {
    return gone;
  }
}
