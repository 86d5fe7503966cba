package dev.weft.tripwire.file;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A request. Data of a write is in the server's memory before the request arrives.
 *
 * @param handle file or directory
 * @param offset offset in the file
 * @param count bytes to read or write, or maximum bytes of a part of a directory
 * @param name name in the directory; for READDIR the last name of the previous part, empty for the first part
 */
record FileRequest(Operation operation, FileHandle handle, long offset, int count, String name) {
  static final int NAME_MAX = 255;
  static final int MAX_BYTES = 4 + FileHandle.LENGTH + 8 + 4 + 4 + NAME_MAX;

  /** Kinds of requests. */
  enum Operation {
    /** Tests whether the session is valid. */
    PING,
    LOOKUP,
    GETATTR,
    READ,
    WRITE,
    CREATE,
    REMOVE,
    READDIR,
    COMMIT,
    /** The client ends the session; no reply. */
    LEAVE;

    private static final Operation[] ALL = values();
  }

  FileRequest(Operation operation, FileHandle handle) {
    this(operation, handle, 0, 0, "");
  }

  FileRequest(Operation operation, FileHandle handle, String name) {
    this(operation, handle, 0, 0, name);
  }

  byte[] toBytes() throws FileException {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    if (text.length > NAME_MAX) {
      throw new FileException(FileStatus.NAME_TOO_LONG, "a name of " + text.length + " bytes, want at most " + NAME_MAX);
    }
    ByteBuffer b = ByteBuffer.allocate(MAX_BYTES - NAME_MAX + text.length);
    b.putInt(operation.ordinal());
    handle.put(b);
    return b.putLong(offset).putInt(count).putInt(text.length).put(text).array();
  }

  static FileRequest of(byte[] bytes) throws FileException {
    try {
      ByteBuffer b = ByteBuffer.wrap(bytes);
      int operation = b.getInt();
      FileHandle handle = FileHandle.get(b);
      long offset = b.getLong();
      int count = b.getInt();
      int length = b.getInt();
      if (operation < 0 || operation >= Operation.ALL.length || length < 0 || length != b.remaining()) {
        throw new FileException(FileStatus.INVALID, "operation " + operation + " with a name of " + length + " bytes in a request of "
            + bytes.length);
      }
      return new FileRequest(Operation.ALL[operation], handle, offset, count, new String(bytes, b.position(), length, StandardCharsets.UTF_8));
    } catch (BufferUnderflowException e) {
      throw new FileException(FileStatus.INVALID, "a request of " + bytes.length + " bytes is too short");
    }
  }
}
