package dev.weft.tripwire.file;

import java.nio.ByteBuffer;

/**
 * Names a file of a server. Opaque to clients. Valid until the file is removed, the server ends, or the handle was unused for too long.
 *
 * @param server random number of a server's start
 * @param slot place in the server's table
 * @param generation how often the place was given to another file
 */
public record FileHandle(long server, int slot, int generation) {
  static final int LENGTH = 16;
  static final FileHandle NONE = new FileHandle(0, 0, 0);

  void put(ByteBuffer to) {
    to.putLong(server).putInt(slot).putInt(generation);
  }

  static FileHandle get(ByteBuffer from) {
    return new FileHandle(from.getLong(), from.getInt(), from.getInt());
  }
}
