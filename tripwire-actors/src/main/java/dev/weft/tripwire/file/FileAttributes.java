package dev.weft.tripwire.file;

import java.nio.ByteBuffer;

/**
 * The attributes of a file.
 *
 * @param sizeBytes length in bytes
 * @param modifiedNs last change, in nanoseconds since 1970
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
