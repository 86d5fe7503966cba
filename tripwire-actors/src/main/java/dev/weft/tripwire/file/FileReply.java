package dev.weft.tripwire.file;

import java.nio.ByteBuffer;

/**
 * A reply. Data of a read, or entries of a directory, are in the client's memory before it arrives.
 *
 * @param count bytes of data
 * @param isLast whether nothing follows the data
 * @param handle handle of a file that was found or created
 * @param verifier changes when the server has lost uncommitted data
 */
record FileReply(FileStatus status, int count, boolean isLast, FileHandle handle, FileAttributes attributes, long verifier) {
  static final int BYTES = 4 + 4 + 4 + FileHandle.LENGTH + 20 + 8;

  static FileReply refused(FileStatus status) {
    return new FileReply(status, 0, false, FileHandle.NONE, FileAttributes.NONE, 0);
  }

  byte[] toBytes() {
    ByteBuffer b = ByteBuffer.allocate(BYTES).putInt(status.ordinal()).putInt(count).putInt(isLast ? 1 : 0);
    handle.put(b);
    attributes.put(b);
    return b.putLong(verifier).array();
  }

  static FileReply of(byte[] bytes) {
    if (bytes.length != BYTES) {
      return refused(FileStatus.IO);
    }
    ByteBuffer b = ByteBuffer.wrap(bytes);
    return new FileReply(FileStatus.of(b.getInt()), b.getInt(), b.getInt() != 0, FileHandle.get(b), FileAttributes.get(b), b.getLong());
  }
}
