package dev.weft.pvfs.mount;

import java.util.Arrays;

/** A name in a directory as a key; do not modify the array. */
record Name(byte[] bytes) {
  @Override
  public boolean equals(Object other) {
    return other instanceof Name name && Arrays.equals(bytes, name.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }
}
