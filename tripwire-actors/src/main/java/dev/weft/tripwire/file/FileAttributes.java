package dev.weft.tripwire.file;

import java.nio.ByteBuffer;

/**
 * What a server says about a file.
 *
 * @param sizeBytes its length
 * @param modifiedNs nanoseconds from 1970 to its last change
 */
public record FileAttributes(boolean isDirectory, long sizeBytes, long modifiedNs) {
  static final FileAttributes NONE = new FileAttributes(false, 0, 0);

  void put(ByteBuffer to) {
    to.putInt(isDirectory ? 1 : 0).putLong(sizeBytes).putLong(modifiedNs);
  }

  static FileAttributes get(ByteBuffer from) {
    return new FileAttributes(from.getInt() != 0, from.getLong(), from.getLong());
  }
}
